package probe

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Names in the object file.
const (
	numbers = ".verbsgen.numbers"
	bitsOf  = ".verbsgen.bits." // followed by the item's index
	unit    = "verbsgen-probe"  // the file that the compiler names in its messages
)

// source is the C file whose object file holds the answers: item i stands on line i+1 of the part named unit. A number is its
// 64 bits and whether it is negative.
func source(header string, items []item) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "#include <%s>\n#include <stddef.h>\n", header)
	fmt.Fprintf(&b, "const unsigned long long verbsgen_numbers[][2] __attribute__((__used__, __section__(%q))) = {\n", numbers)
	fmt.Fprintf(&b, "#line 1 %q\n", unit)
	for _, it := range items {
		if it.bits == nil {
			fmt.Fprintf(&b, "{(unsigned long long)(%s), (%s) < 0},", it.text, it.text)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "{0}};\n#line 1 %q\n", unit)
	for i, it := range items {
		if f := it.bits; f != nil {
			fmt.Fprintf(&b, "const %s verbsgen_bits_%d __attribute__((__used__, __section__(\"%s%d\"))) = { %s = %s };",
				f.ctype, i, bitsOf, i, f.designator, f.ones)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// headerName refuses what would end the #include line or its brackets.
func headerName(s string) error {
	bad := strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || strings.ContainsRune(`<>"\`, r) })
	if s == "" || bad >= 0 {
		return fmt.Errorf("%q is not the name of a header", s)
	}
	return nil
}

var (
	unitLine = regexp.MustCompile(`^` + unit + `:(\d+):`)
	isError  = regexp.MustCompile(`: (fatal )?error: `)
)

// refusals reads a compiler's messages: those that concern an item, by its index, and the first error line of all. A message
// about a macro's body names the header, and the item only in a note below.
func refusals(text string) (bad map[int]string, first string) {
	bad = map[int]string{}
	msg := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if at := isError.FindStringIndex(line); at != nil {
			msg = line[at[1]:]
			if first == "" {
				first = line
			}
		}
		m := unitLine.FindStringSubmatch(line)
		if m == nil || msg == "" {
			continue
		}
		if n, err := strconv.Atoi(m[1]); err == nil {
			if _, ok := bad[n-1]; !ok {
				bad[n-1] = "error: " + msg
			}
		}
		msg = ""
	}
	if first == "" {
		first, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	}
	return bad, first
}
