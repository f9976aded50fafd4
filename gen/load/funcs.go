package load

import (
	"github.com/goverbs/ibv/gen/model"
	"modernc.org/cc/v4"
)

// functions adds the header's own functions.
func (b *builder) functions() error {
	for _, f := range b.decls.funcs {
		if !b.in.own.owns(f.file) {
			continue
		}
		m, err := b.function(f)
		if err != nil {
			return err
		}
		b.out.Funcs = append(b.out.Funcs, m)
	}
	return nil
}

func (b *builder) function(f *function) (model.Func, error) {
	u := use{pos: f.pos, item: "function " + f.name}
	m := model.Func{Name: f.name, Kind: model.Exported, Pos: f.pos}
	if f.inline {
		m.Kind = model.Inline
	}
	result, err := b.base(declarationSpecs(f.spec), u)
	if err != nil {
		return m, err
	}
	if result, u, err = b.pointers(result, f.decl.Pointer, u); err != nil {
		return m, err
	}
	dd := f.decl.DirectDeclarator
	if dd.Case != cc.DirectDeclaratorFuncParam || dd.DirectDeclarator.Case != cc.DirectDeclaratorIdent {
		return m, u.refuse("a declaration of this form is not supported")
	}
	m.Result = result
	if err := b.reachType(result, u); err != nil {
		return m, err
	}
	list := dd.ParameterTypeList
	if list == nil {
		return m, nil
	}
	m.Variadic = list.Case == cc.ParameterTypeListVar
	for l := list.ParameterList; l != nil; l = l.ParameterList {
		p, err := b.param(l.ParameterDeclaration, u)
		if err != nil {
			return m, err
		}
		if p.Type.Kind == model.Void {
			continue
		}
		m.Params = append(m.Params, p)
	}
	return m, nil
}

func (b *builder) param(n *cc.ParameterDeclaration, u use) (p model.Param, err error) {
	if p.Type, err = b.base(declarationSpecs(n.DeclarationSpecifiers), u); err != nil {
		return p, err
	}
	if n.Case == cc.ParameterDeclarationDecl {
		p.Name = n.Declarator.Name()
		p.Type, err = b.declarator(p.Type, n.Declarator, u)
	} else {
		p.Type, err = b.abstract(p.Type, n.AbstractDeclarator, u)
	}
	if err != nil {
		return p, err
	}
	switch t := p.Type; t.Kind { // C adjusts these
	case model.Array:
		p.Type = model.Type{Kind: model.Pointer, Elem: t.Elem}
	case model.Function:
		p.Type = model.Type{Kind: model.Pointer, Elem: &t}
	}
	return p, b.reachType(p.Type, u)
}
