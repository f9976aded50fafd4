package bind

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
	"github.com/goverbs/ibv/gen/plan"
)

// Input is what a plan is made from.
type Input struct {
	Records []*model.Model   // of one header, oldest first
	Union   *model.Model     // of Records
	Overlay *overlay.Overlay // nil: nothing is known
	Types   *plan.Package    // the Go declarations of Union
	Package string           // name of the Go package; empty: cverbs
	Import  string           // path of the package with the types
}

// Plan decides how each function of the union is called.
func Plan(in Input) (*Package, error) {
	if len(in.Records) == 0 || in.Union == nil || in.Types == nil {
		return nil, fmt.Errorf("no ABI records to bind functions from")
	}
	p := newPlanner(in)
	for i := range p.in.Union.Funcs {
		f := &p.in.Union.Funcs[i]
		v, err := p.verb(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", clean(in.Union.Header), clean(f.Name), err)
		}
		v.Index = i
		p.pkg.Verbs = append(p.pkg.Verbs, v)
	}
	for _, step := range []func() error{p.callers, p.unique, p.asserts} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("%s: %w", clean(in.Union.Header), err)
		}
	}
	return p.pkg, nil
}

// verb plans one function. Its error is about names that must not be printed; what only cannot be called has a reason.
func (p *planner) verb(f *model.Func) (Verb, error) {
	v := Verb{C: f.Name, Kind: f.Kind, Hidden: f.Hidden, Since: f.Since, Version: f.Version, Most: -1}
	if err := printable(f); err != nil {
		return v, err
	}
	said, known := p.in.Overlay.Functions[f.Name]
	v.Hot, v.Value, v.OrMinus1, v.Doc, v.Reason = said.Hot, said.Value, said.OrMinus1, clean(said.Doc), clean(said.Skip)
	v.Form = Form(said.Fails)
	if v.Form == "" {
		v.Form, v.Guessed = guess(&f.Result), !known
	}
	if f.Kind == model.Exported && f.Version != "" {
		v.Symbol = f.Name
	}
	if err := p.signature(&v, f); err != nil {
		v.Params = nil
		if v.Reason == "" {
			v.Reason = upper(err.Error()) + "."
		}
		return v, nil
	}
	if err := v.fits(); err != nil {
		return v, err
	}
	p.stub(&v, f)
	if v.Reason != "" {
		return v, nil
	}
	if reason := p.way(&v, f); reason != "" {
		v.How, v.Reason = NoCall, reason
		return v, nil
	}
	if err := p.most(&v, f, said.Most); err != nil {
		return v, err
	}
	if v.OrMinus1 && v.How != ThroughHeader {
		return v, fmt.Errorf("or_minus1 is for what the header has as code")
	}
	v.Go = plan.FuncName(f.Name)
	return v, nil
}

// guess is the form of a function that the overlay does not know: what functions with such a result mostly do.
func guess(result *model.Type) Form {
	switch {
	case result.Kind == model.Pointer && !(result.Elem.Kind == model.Scalar && result.Elem.Const):
		return Null
	case result.Kind == model.Scalar && result.Name == "int":
		return Errno
	}
	return None
}

// fits checks that the result can be what the form says.
func (v *Verb) fits() error {
	pointer := v.Result.Class != Void && v.Result.Class != Number
	signed := v.Result.Class == Number && !v.Result.Local && strings.HasPrefix(v.Result.Go.Name, "int")
	ok := map[Form]bool{Null: pointer && v.Result.Class != Text, Errno: signed, Minus1: signed, Negative: signed, None: true}[v.Form]
	if !ok {
		return fmt.Errorf("its result cannot report failure as %q", v.Form)
	}
	return nil
}

func (p *planner) most(v *Verb, f *model.Func, param string) error {
	if param == "" {
		return nil
	}
	v.Most = slices.IndexFunc(v.Params, func(a Param) bool { return a.C == param })
	if v.Most < 0 || v.Params[v.Most].Type.Class != Number || v.Params[v.Most].Type.Local {
		return fmt.Errorf("it has no number %s that its result could not be above", clean(param))
	}
	return nil
}

// callers gives exported functions that are there for inlines a reason why Go has no call of its own for them.
func (p *planner) callers() error {
	for i := range p.pkg.Verbs {
		v := &p.pkg.Verbs[i]
		if v.How != ThroughSized || v.Go == "" {
			continue
		}
		for j := range p.pkg.Verbs {
			if w := &p.pkg.Verbs[j]; w.Stub != nil && w.Stub.Name == v.Sized.Stub {
				w.Reason = fmt.Sprintf("%s calls it, with the right size.", v.Go)
			}
		}
	}
	return nil
}

// unique makes sure that two functions do not share a Go name.
func (p *planner) unique() error {
	seen := map[string]string{}
	for _, v := range p.pkg.Verbs {
		if v.Go == "" {
			continue
		}
		if old := seen[v.Go]; old != "" {
			return fmt.Errorf("%s and %s would both be %s in Go", old, v.C, v.Go)
		}
		seen[v.Go] = v.C
	}
	return nil
}
