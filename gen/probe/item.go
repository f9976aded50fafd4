package probe

import (
	"fmt"

	"github.com/goverbs/ibv/gen/model"
)

// An item is one thing to ask the compiler.
type item struct {
	text string // the C expression; of a bit-field: a description
	pos  string
	want model.Value
	grow bool // may be larger under AtLeast
	bits *bitItem
}

// A bitItem is a bit-field: an object of ctype in which the designated member has all bits set shows them.
type bitItem struct {
	ctype, designator, ones string
	pos, width              int64
}

func (i *item) wanted() string {
	if i.bits != nil {
		return span(i.bits.pos, i.bits.width)
	}
	return i.want.String()
}

// span describes the place of a bit-field.
func span(pos, width int64) string { return fmt.Sprintf("bits %d to %d", pos, pos+width-1) }

// A lister collects the items of a model.
type lister struct {
	arch  string
	items []item
	err   error
}

// list returns what there is to ask about m on arch.
func list(m *model.Model, arch string) ([]item, error) {
	l := &lister{arch: arch}
	for i := range m.Aggregates {
		if a := &m.Aggregates[i]; !a.Opaque {
			l.aggregate(a)
		}
	}
	for i := range m.Enums {
		l.enum(&m.Enums[i])
	}
	for i := range m.Consts {
		l.constant(&m.Consts[i])
	}
	return l.items, l.err
}

// name lets through C names only, so that nothing else of a header or a record gets into C source.
func (l *lister) name(s string) string {
	if !isName(s) && l.err == nil {
		l.err = fmt.Errorf("%q in the model is not a C name", s)
	}
	return s
}

func isName(s string) bool {
	for i, c := range s {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func (l *lister) number(pos string, want int64, format string, args ...any) *item {
	l.items = append(l.items, item{text: fmt.Sprintf(format, args...), pos: pos, want: model.Int(want)})
	return &l.items[len(l.items)-1]
}

// sign asks for the sign of a type by converting -1 to it.
func (l *lister) sign(pos, ctype string, signed bool) {
	want := int64(0)
	if signed {
		want = 1
	}
	l.number(pos, want, "((%s)-1 < (%s)1)", ctype, ctype)
}

func (l *lister) enum(e *model.Enum) {
	if e.Name != "" {
		ctype := l.name(e.Name)
		if !e.Typedef {
			ctype = "enum " + ctype
		}
		l.number(e.Pos, e.Size, "sizeof(%s)", ctype)
		l.sign(e.Pos, ctype, e.Signed)
	}
	for _, v := range e.Enumerators {
		l.value(v.Name, v.Pos, v.Value)
	}
}

func (l *lister) value(name, pos string, v model.Value) {
	l.items = append(l.items, item{text: l.name(name), pos: pos, want: v})
}

// constant asks for a macro's value, and for its type's size and sign if that is a scalar: a macro that names an enumerator has
// the enumerator's type in C, not the enum's.
func (l *lister) constant(c *model.Const) {
	l.value(c.Name, c.Pos, c.Value)
	info, ok := model.Scalars[c.Type.Name]
	if c.Type.Kind != model.Scalar || !ok {
		return
	}
	l.number(c.Pos, info.Size, "sizeof(%s)", c.Name)
	if !info.Char && !info.Bool && !info.Float {
		l.sign(c.Pos, "__typeof__("+c.Name+")", info.Signed)
	}
}
