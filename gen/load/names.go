package load

import (
	"regexp"

	"github.com/goverbs/ibv/gen/model"
)

// cName matches the names that all of C's dialects have, and that the records and Go names can be made of.
var cName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// A naming refuses names with other characters, such as dollar signs, which the front end and gcc accept.
type naming struct{ err error }

func (n *naming) check(pos, what, name string) {
	if n.err == nil && name != "" && !cName.MatchString(name) {
		n.err = refusef(pos, what+" "+name, "a name with other characters than ASCII letters, digits and _ is not supported")
	}
}

// names checks all names of the model.
func (b *builder) names() error {
	var n naming
	for _, a := range b.out.Aggregates {
		n.aggregate(a)
	}
	for _, e := range b.out.Enums {
		n.check(e.Pos, "enum", e.Name)
		for _, en := range e.Enumerators {
			n.check(en.Pos, "enumerator", en.Name)
		}
	}
	for _, c := range b.out.Consts {
		n.check(c.Pos, "macro", c.Name)
	}
	for _, a := range b.out.Aliases {
		n.check(a.Pos, "macro", a.Name)
		n.check(a.Pos, "tag", a.Tag)
	}
	for _, f := range b.out.Funcs {
		n.function(f)
	}
	return n.err
}

func (n *naming) function(f model.Func) {
	n.check(f.Pos, "function", f.Name)
	n.typ(f.Pos, f.Result)
	for _, p := range f.Params {
		n.check(f.Pos, "parameter", p.Name)
		n.typ(f.Pos, p.Type)
	}
}

func (n *naming) aggregate(a model.Aggregate) {
	word := "struct"
	if a.Union {
		word = "union"
	}
	n.check(a.Pos, word, a.Name)
	for _, m := range a.Members {
		n.check(m.Pos, "member", m.Name)
		n.typ(m.Pos, m.Type)
	}
}

func (n *naming) typ(pos string, t model.Type) {
	n.check(pos, "typedef", t.Typedef)
	if t.Kind != model.Scalar {
		n.check(pos, "tag", t.Name)
	}
	if t.Elem != nil {
		n.typ(pos, *t.Elem)
	}
	if t.Body != nil {
		n.aggregate(*t.Body)
	}
}
