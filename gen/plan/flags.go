package plan

import (
	"fmt"
	"math/bits"
	"regexp"

	"github.com/goverbs/ibv/gen/model"
)

// flagName matches the tags of enums whose values are bits.
var flagName = regexp.MustCompile(`_(flags|mask|masks|caps|bits|fields)[0-9]*$`)

// isFlags asks the overlay or, if that is silent, goes by the tag's last word; then no value may be negative, and
// each must be made of bits that have names of their own.
func (p *planner) isFlags(e *model.Enum) bool {
	if f := p.enumOverlay(e).Flags; f != nil {
		return *f
	}
	if !flagName.MatchString(e.Name) {
		return false
	}
	var all, single uint64
	for _, v := range e.Enumerators {
		if v.Value.Neg() {
			return false
		}
		all |= v.Value.Uint64()
		if bits.OnesCount64(v.Value.Uint64()) == 1 {
			single |= v.Value.Uint64()
		}
	}
	return all == single && all != 0
}

// valueText is v in Go: decimal, or for flags a shifted bit or hexadecimal.
func valueText(v model.Value, flags bool) string {
	u := v.Uint64()
	switch {
	case !flags || v.Neg() || u == 0:
		return v.String()
	case bits.OnesCount64(u) == 1:
		return fmt.Sprintf("1 << %d", bits.TrailingZeros64(u))
	}
	return fmt.Sprintf("%#x", u)
}

// integer is the Go integer type of a width and sign.
func integer(size int64, signed bool) string {
	if signed {
		return fmt.Sprintf("int%d", size*8)
	}
	return fmt.Sprintf("uint%d", size*8)
}
