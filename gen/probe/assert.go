package probe

import (
	"bytes"
	"fmt"
	"math"

	"github.com/goverbs/ibv/gen/model"
)

// A Mode says how strict assertions are.
type Mode int

// The modes of Assertions.
const (
	Exact   Mode = iota
	AtLeast      // as Exact, but structs and unions may be larger and more aligned, for headers newer than the model
)

// Assertions writes a C file that includes the model's header and fails to compile where a number of m on arch is not the
// compiler's: sizes, alignments, offsets, enumerators and macros. Bit-fields have no constant expression; Check looks at them.
// It is for one architecture, and expects everything in m to exist: what a release may lack or move (sentinels, structs that
// grow at the front) is to be taken out of m before.
func Assertions(m *model.Model, arch string, mode Mode) []byte {
	var b bytes.Buffer
	if err := headerName(m.Header); err != nil {
		return failing(err)
	}
	items, err := list(m, arch)
	if err != nil {
		return failing(err)
	}
	fmt.Fprintf(&b, "#include <%s>\n#include <stddef.h>\n\n", m.Header)
	for i := range items {
		if it := &items[i]; it.bits == nil {
			fmt.Fprintf(&b, "_Static_assert(%s, \"%s is not %s\");\n", it.condition(mode), it.text, it.want)
		}
	}
	return b.Bytes()
}

func failing(err error) []byte { return fmt.Appendf(nil, "#error %q\n", err) }

// condition is a C expression that is true if the item has the value wanted, its sign included: -1 == 0xffffffff holds in C.
func (i *item) condition(mode Mode) string {
	if mode == AtLeast && i.grow {
		return fmt.Sprintf("%s >= %s", i.text, literal(i.want))
	}
	sign := ">"
	switch {
	case !isName(i.text) || i.want == model.Value{}:
		return fmt.Sprintf("%s == %s", i.text, literal(i.want))
	case i.want.Neg():
		sign = "<"
	}
	return fmt.Sprintf("(%s) %s 0 && (%s) == %s", i.text, sign, i.text, literal(i.want))
}

// literal spells v as a C constant of a type that holds it.
func literal(v model.Value) string {
	switch {
	case v == model.Int(math.MinInt64):
		return "(-9223372036854775807LL - 1)"
	case v.Neg():
		return "(" + v.String() + ")"
	case v.Uint64() > math.MaxInt64:
		return v.String() + "ULL"
	}
	return v.String() // C takes long by itself where int is too small
}
