package helper

import "strconv"

// A flagName names a bit, or several bits together.
type flagName struct {
	bits uint64
	name string
}

// flagText joins the names of the bits in v with bars. Bits without a name follow in hexadecimal; zero is the text for none.
func flagText(v uint64, names []flagName, zero string) string {
	if v == 0 {
		return zero
	}
	text := ""
	for _, n := range names {
		if v&n.bits == n.bits {
			text, v = text+"|"+n.name, v&^n.bits
		}
	}
	if v != 0 {
		text += "|0x" + strconv.FormatUint(v, 16)
	}
	return text[1:]
}
