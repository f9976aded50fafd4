package load

import (
	"fmt"

	"modernc.org/cc/v4"
)

// decls are the file-scope declarations of a translation unit, by name, and in order where order matters.
type decls struct {
	tags     map[string]*aggregate
	typedefs map[string]*typedef
	enums    map[string]*enum
	names    map[*cc.EnumSpecifier]*enum
	bodies   map[*cc.StructOrUnionSpecifier]*aggregate

	aggregates []*aggregate
	enumList   []*enum
	funcs      []*function
	funcIndex  map[string]*function
}

// An aggregate is a struct or union with its definition, or only declared.
type aggregate struct {
	name    string // tag, or the typedef's name
	typedef bool
	union   bool
	file    string
	pos     string
	spec    *cc.StructOrUnionSpecifier // the definition; nil if only declared
	outer   []*cc.AttributeSpecifierList
	state   reach
	names   bool // has a name at file scope
}

// reach says how much of an aggregate is in the model.
type reach int

const (
	unreached reach = iota
	byPointer
	byValue
)

// A typedef is one typedef name.
type typedef struct {
	name string
	pos  string
	spec *cc.DeclarationSpecifiers
	decl *cc.Declarator
	attr []*cc.AttributeSpecifierList
}

// An enum is an enumeration with its definition.
type enum struct {
	name    string
	typedef bool
	file    string
	pos     string
	spec    *cc.EnumSpecifier
	outer   []*cc.AttributeSpecifierList
	reached bool
}

// A function is a function declared or defined at file scope.
type function struct {
	name   string
	file   string
	pos    string
	inline bool
	decl   *cc.Declarator
	spec   *cc.DeclarationSpecifiers
}

// place returns the file and "file:line" of a node.
func place(n cc.Node) (file, pos string) {
	p := n.Position()
	return p.Filename, fileLine(p.Filename, p.Line)
}

func fileLine(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

// collect walks the translation unit.
func collect(ast *cc.AST) *decls {
	d := &decls{
		tags: map[string]*aggregate{}, typedefs: map[string]*typedef{}, enums: map[string]*enum{},
		names: map[*cc.EnumSpecifier]*enum{}, bodies: map[*cc.StructOrUnionSpecifier]*aggregate{},
		funcIndex: map[string]*function{},
	}
	for l := ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		switch x := l.ExternalDeclaration; x.Case {
		case cc.ExternalDeclarationFuncDef:
			f := x.FunctionDefinition
			d.specifiers(f.DeclarationSpecifiers)
			d.function(f.DeclarationSpecifiers, f.Declarator, true)
		case cc.ExternalDeclarationDecl:
			d.declaration(x.Declaration)
		}
	}
	return d
}

func (d *decls) declaration(n *cc.Declaration) {
	if n.Case != cc.DeclarationDecl {
		return
	}
	agg, en := d.specifiers(n.DeclarationSpecifiers)
	isTypedef := hasStorage(n.DeclarationSpecifiers, cc.StorageClassSpecifierTypedef)
	outer := specifierAttributes(n.DeclarationSpecifiers)
	for l := n.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		id := l.InitDeclarator
		if id.Declarator == nil {
			continue
		}
		if !isTypedef {
			if isFunction(id.Declarator) {
				d.function(n.DeclarationSpecifiers, id.Declarator, false)
			}
			continue
		}
		_, pos := place(id.Declarator)
		t := &typedef{name: id.Declarator.Name(), pos: pos, spec: n.DeclarationSpecifiers, decl: id.Declarator}
		for _, a := range []*cc.AttributeSpecifierList{id.AttributeSpecifierList, l.AttributeSpecifierList, n.AttributeSpecifierList} {
			if a != nil {
				t.attr = append(t.attr, a)
			}
		}
		t.attr = append(t.attr, outer...)
		if old := d.typedefs[t.name]; old != nil {
			old.attr = append(old.attr, t.attr...)
			continue
		}
		d.typedefs[t.name] = t
		if plain := id.Declarator.Pointer == nil && id.Declarator.DirectDeclarator.Case == cc.DirectDeclaratorIdent; !plain {
			continue
		}
		if agg != nil && agg.name == "" {
			agg.name, agg.typedef = t.name, true
		}
		if en != nil && en.name == "" {
			en.name, en.typedef = t.name, true
		}
	}
	if agg != nil {
		agg.outer = append(agg.outer, outer...)
	}
	if en != nil {
		en.outer = append(en.outer, outer...)
		for l := n.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
			if l.AttributeSpecifierList != nil {
				en.outer = append(en.outer, l.AttributeSpecifierList)
			}
		}
		if n.AttributeSpecifierList != nil {
			en.outer = append(en.outer, n.AttributeSpecifierList)
		}
	}
}

// specifiers notes what the specifiers of a declaration define and returns the aggregate or enum that they define themselves.
func (d *decls) specifiers(n *cc.DeclarationSpecifiers) (agg *aggregate, en *enum) {
	for ; n != nil; n = n.DeclarationSpecifiers {
		if n.Case == cc.DeclarationSpecifiersTypeSpec {
			a, e := d.typeSpecifier(n.TypeSpecifier, true)
			if a != nil {
				agg = a
			}
			if e != nil {
				en = e
			}
		}
	}
	return agg, en
}

func (d *decls) typeSpecifier(n *cc.TypeSpecifier, top bool) (agg *aggregate, en *enum) {
	switch n.Case {
	case cc.TypeSpecifierStructOrUnion:
		return d.structOrUnion(n.StructOrUnionSpecifier, top), nil
	case cc.TypeSpecifierEnum:
		return nil, d.enum(n.EnumSpecifier)
	}
	return nil, nil
}

// structOrUnion notes the struct or union, and those defined inside it, which C puts into the same scope.
func (d *decls) structOrUnion(n *cc.StructOrUnionSpecifier, top bool) *aggregate {
	tag := n.Token.SrcStr()
	file, pos := place(n.StructOrUnion)
	union := n.StructOrUnion.Case == cc.StructOrUnionUnion
	if n.Case == cc.StructOrUnionSpecifierTag {
		if d.tags[tag] == nil {
			a := &aggregate{name: tag, union: union, file: file, pos: pos}
			d.tags[tag] = a
			d.aggregates = append(d.aggregates, a)
		}
		if a := d.tags[tag]; n.AttributeSpecifierList != nil || n.AttributeSpecifierList2 != nil {
			a.outer = append(a.outer, n.AttributeSpecifierList, n.AttributeSpecifierList2)
		}
		return nil
	}
	a := d.tags[tag]
	if a == nil || tag == "" {
		a = &aggregate{name: tag}
		d.aggregates = append(d.aggregates, a)
	}
	if tag != "" {
		d.tags[tag] = a
	}
	a.spec, a.union, a.file, a.pos = n, union, file, pos
	a.names = top
	d.bodies[n] = a
	for l := n.StructDeclarationList; l != nil; l = l.StructDeclarationList {
		if l.StructDeclaration.Case != cc.StructDeclarationDecl {
			continue
		}
		for s := l.StructDeclaration.SpecifierQualifierList; s != nil; s = s.SpecifierQualifierList {
			if s.Case == cc.SpecifierQualifierListTypeSpec {
				d.typeSpecifier(s.TypeSpecifier, false)
			}
		}
	}
	return a
}

func (d *decls) enum(n *cc.EnumSpecifier) *enum {
	if n.Case != cc.EnumSpecifierDef {
		return nil
	}
	file, pos := place(n)
	e := &enum{name: n.Token2.SrcStr(), file: file, pos: pos, spec: n}
	if e.name != "" {
		d.enums[e.name] = e
	}
	d.names[n] = e
	d.enumList = append(d.enumList, e)
	return e
}

func (d *decls) function(spec *cc.DeclarationSpecifiers, decl *cc.Declarator, defined bool) {
	if decl == nil || hasStorage(spec, cc.StorageClassSpecifierTypedef) {
		return
	}
	name := decl.Name()
	file, pos := place(decl)
	inline := defined && hasStorage(spec, cc.StorageClassSpecifierStatic)
	if old := d.funcIndex[name]; old != nil {
		if inline && !old.inline { // declared above its definition
			*old = function{name: name, file: file, pos: pos, inline: true, decl: decl, spec: spec}
		}
		return
	}
	f := &function{name: name, file: file, pos: pos, inline: inline, decl: decl, spec: spec}
	d.funcIndex[name] = f
	d.funcs = append(d.funcs, f)
}

func hasStorage(n *cc.DeclarationSpecifiers, c cc.StorageClassSpecifierCase) bool {
	for ; n != nil; n = n.DeclarationSpecifiers {
		if n.Case == cc.DeclarationSpecifiersStorage && n.StorageClassSpecifier.Case == c {
			return true
		}
	}
	return false
}

// specifierAttributes returns the attributes among the specifiers of a declaration.
func specifierAttributes(n *cc.DeclarationSpecifiers) (attrs []*cc.AttributeSpecifierList) {
	for ; n != nil; n = n.DeclarationSpecifiers {
		if n.Case == cc.DeclarationSpecifiersAttr && n.AttributeSpecifierList != nil {
			attrs = append(attrs, n.AttributeSpecifierList)
		}
		if n.Case == cc.DeclarationSpecifiersTypeQual && n.TypeQualifier.AttributeSpecifierList != nil {
			attrs = append(attrs, n.TypeQualifier.AttributeSpecifierList)
		}
	}
	return attrs
}

// isFunction reports whether d declares a function: name(...), perhaps with a pointer result.
func isFunction(d *cc.Declarator) bool {
	return d.Type() != nil && d.Type().Kind() == cc.Function
}
