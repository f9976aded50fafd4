package bind

import (
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// objectMember recognizes an inline that calls the function pointer of its own name in its first argument:
// ibv_wr_flush(qp, ...) is qp->wr_flush(qp, ...).
func (p *planner) objectMember(v *Verb, f *model.Func) bool {
	if len(f.Params) == 0 {
		return false
	}
	a := p.pointee(&f.Params[0].Type)
	if a == nil {
		return false
	}
	m, ok := function(a, f.Name)
	if ok {
		v.Member = &Member{Name: m.Name, Offset: m.At}
	}
	return ok
}

// contextMember recognizes an inline for which the extended context has a function pointer. It is called with the inline's own
// arguments, and only if the context is long enough to have it.
func (p *planner) contextMember(v *Verb, f *model.Func) bool {
	ext, ctx := p.aggs["verbs_context"], p.aggs["ibv_context"]
	if ext == nil || ctx == nil || ext.Opaque || ctx.Opaque {
		return false
	}
	owner := p.owner(f)
	m, ok := function(ext, f.Name)
	size, hasSize := flat(ext, "sz")
	inner, hasInner := flat(ext, "context")
	abi, hasABI := flat(ctx, "abi_compat")
	if owner.Param < 0 || owner.Self && p.pointee(&f.Params[owner.Param].Type) != ctx || owner.Func != "" ||
		!ok || !hasSize || !hasInner || !hasABI {
		return false
	}
	v.Member = &Member{Name: m.Name, Offset: ext.Size.Sub(m.At), Object: owner, Extended: abi.At, Size: inner.At.Sub(size.At),
		Own: ctx.Size}
	return true
}

// pointee is the struct or union that t points to, or nil.
func (p *planner) pointee(t *model.Type) *model.Aggregate {
	if t.Kind != model.Pointer || t.Elem == nil || t.Elem.Kind != model.Struct && t.Elem.Kind != model.Union {
		return nil
	}
	return p.aggs[t.Elem.Name]
}

func flat(a *model.Aggregate, name string) (model.Flat, bool) {
	for _, f := range a.Flat() {
		if f.Name == name {
			return f, true
		}
	}
	return model.Flat{}, false
}

// function finds the function pointer in a that is named like the function c, with or without its prefix.
func function(a *model.Aggregate, c string) (model.Flat, bool) {
	for _, name := range []string{c, strings.TrimPrefix(c, "ibv_")} {
		if f, ok := flat(a, name); ok && f.Type.Kind == model.Pointer && f.Type.Elem != nil && f.Type.Elem.Kind == model.Function {
			return f, true
		}
	}
	return model.Flat{}, false
}
