package bind

import (
	"fmt"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// way decides what the thunk of f does. It answers why there can be none, or nothing.
func (p *planner) way(v *Verb, f *model.Func) string {
	v.Thunk = "ibvgo_call_" + f.Name
	switch {
	case strings.HasPrefix(f.Name, "_"):
		v.Thunk = ""
		return "Its name says that it is there for the header's own use."
	case p.sized(v, f):
		v.How = ThroughSized
		return ""
	case f.Hidden || f.Kind == model.Inline && p.inOldest(f.Name):
		return p.header(v, f)
	case f.Kind == model.Exported && v.Stub != nil:
		v.How, v.Thunk = ThroughStub, v.Stub.Name
		return ""
	case f.Kind == model.Exported:
		v.Thunk = ""
		return "The header declares it, but the shared library does not export it to programs."
	case p.objectMember(v, f):
		v.How = ThroughObject
		return ""
	case p.contextMember(v, f):
		v.How = ThroughContext
		return ""
	}
	v.Thunk = ""
	return fmt.Sprintf("The header has it since %s, and what it does cannot be told from the records.", clean(f.Since))
}

// inOldest tells whether every header has f, as far as is known.
func (p *planner) inOldest(name string) bool {
	for i := range p.oldest.Funcs {
		if p.oldest.Funcs[i].Name == name {
			return true
		}
	}
	return false
}

// header makes f a call of the header's inline or macro.
func (p *planner) header(v *Verb, f *model.Func) string {
	if !p.inOldest(f.Name) {
		v.Thunk = ""
		return fmt.Sprintf("The header has it as a macro since %s, and older ones have not.", clean(f.Since))
	}
	v.How = ThroughHeader
	as := p.behind(f)
	count := ""
	for i := range f.Params {
		a := &f.Params[i]
		if strings.HasPrefix(a.Name, "num_") || strings.HasPrefix(a.Name, "max_") {
			count = a.Name
		}
		v.Params[i].Grow = p.grow(p.typeBehind(a, as))
	}
	for _, a := range v.Params {
		if a.Grow != nil && count != "" {
			// One local cannot stand for an array of them.
			v.Thunk = ""
			return fmt.Sprintf("Its parameter %s may be an array of %s elements, each of a size that depends on the release.", a.C, count)
		}
	}
	return ""
}

func (p *planner) typeBehind(a *model.Param, as *model.Func) *model.Type {
	if as != nil {
		for i := range as.Params {
			if as.Params[i].Name == a.Name {
				return &as.Params[i].Type
			}
		}
	}
	return &a.Type
}

// sized finds the exported function that an inline calls with a sizeof: it has the inline's name with an underscore before it, and
// the inline's parameters with a size after them.
func (p *planner) sized(v *Verb, f *model.Func) bool {
	g := p.funcs["_"+f.Name]
	if f.Kind != model.Inline || g == nil || g.Kind != model.Exported || g.Version == "" || len(g.Params) != len(f.Params)+1 {
		return false
	}
	last := g.Params[len(f.Params)]
	if !strings.HasSuffix(last.Name, "_size") || last.Type.Kind != model.Scalar || g.Result.Text() != f.Result.Text() {
		return false
	}
	var size *model.Num
	for i := range f.Params {
		if f.Params[i].Type.Text() != g.Params[i].Type.Text() {
			return false
		}
		if grow := p.grow(&f.Params[i].Type); grow != nil {
			if size != nil {
				return false
			}
			size = &grow.Size
		}
	}
	if size == nil {
		return false
	}
	v.Sized = &Sized{Stub: stubName(g.Name), Size: *size}
	v.Symbol, v.Version = g.Name, g.Version
	return true
}
