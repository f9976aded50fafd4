package bind

import "github.com/goverbs/ibv/gen/model"

// finders are functions of the bound package, written by hand, which find the context where no member says it.
var finders = map[string]string{"ibv_async_event": "ibvgo_event_context"}

// stubName is what the label of an exported function is.
func stubName(c string) string { return "ibvgo_" + c }

// stub plans the stub of an exported function.
func (p *planner) stub(v *Verb, f *model.Func) {
	if f.Kind != model.Exported || f.Version == "" {
		return
	}
	params, err := p.params(f, nil)
	if err != nil {
		return
	}
	v.Stub = &Stub{Name: stubName(f.Name), Result: v.Result, Params: params, Owner: p.owner(f)}
}

// owner finds the first parameter that leads to a context. An object that nothing is known of stands for itself, as do contexts
// and devices.
func (p *planner) owner(f *model.Func) Owner {
	for i := range f.Params {
		a := p.pointee(&f.Params[i].Type)
		if a == nil {
			continue
		}
		if finder := finders[a.Name]; finder != "" && !f.Params[i].Type.Elem.Const {
			return Owner{Param: i, Func: finder}
		}
		if a.Name == "ibv_context" || a.Name == "ibv_device" || a.Opaque {
			return Owner{Param: i, Self: true}
		}
		if off, ok := p.contextOf(a, 0); ok {
			return Owner{Param: i, Offset: off}
		}
	}
	return Owner{Param: -1}
}

// maxDepth bounds how deep the context may be.
const maxDepth = 4

// contextOf finds the pointer to the context in a: a member of that type, or one in the member that a begins with (ibv_qp_ex).
func (p *planner) contextOf(a *model.Aggregate, depth int) (model.Num, bool) {
	if f, ok := flat(a, "context"); ok {
		if c := p.pointee(&f.Type); c != nil && c.Name == "ibv_context" {
			return f.At, true
		}
	}
	members := a.Flat()
	if len(members) == 0 || depth == maxDepth || members[0].Type.Kind != model.Struct {
		return model.Num{}, false
	}
	inner := p.aggs[members[0].Type.Name]
	if inner == nil {
		return model.Num{}, false
	}
	off, ok := p.contextOf(inner, depth+1)
	return members[0].At.Add(off), ok
}
