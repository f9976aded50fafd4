package load

import (
	"cmp"
	"slices"

	"github.com/goverbs/ibv/gen/model"
	"modernc.org/cc/v4"
)

// A builder makes the model of one architecture.
type builder struct {
	in           *input
	arch         string
	ast          *cc.AST
	decls        *decls
	out          *model.Model
	typedefTypes map[string]model.Type
	enums        map[*enum]model.Enum
	enumOfName   map[string]*enum // by enumerator
	enumerators  map[string]cnum  // those whose value is sure
	work         []*aggregate     // reached, not yet described

	sounds    map[*aggregate]bool // those that the evaluator has asked for, with the answer
	described map[*aggregate]model.Aggregate
	words     map[*cc.Macro][]string // see macroWords
	dry       bool                   // what is described is not for the model
}

// model describes what the translation unit declares.
func (in *input) model(arch string, ast *cc.AST) (*model.Model, error) {
	b := &builder{
		in: in, arch: arch, ast: ast, decls: collect(ast), out: &model.Model{Header: in.header},
		typedefTypes: map[string]model.Type{}, enums: map[*enum]model.Enum{}, enumOfName: map[string]*enum{},
		enumerators: map[string]cnum{}, sounds: map[*aggregate]bool{}, described: map[*aggregate]model.Aggregate{},
		words: map[*cc.Macro][]string{},
	}
	for _, step := range []func() error{b.ownEnums, b.ownAggregates, b.functions, b.macros, b.reached, b.names} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	b.sort()
	return b.out, nil
}

func (b *builder) sort() {
	m := b.out
	slices.SortFunc(m.Aggregates, func(x, y model.Aggregate) int { return cmp.Compare(x.Name, y.Name) })
	slices.SortFunc(m.Enums, func(x, y model.Enum) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(first(x), first(y)))
	})
	slices.SortFunc(m.Consts, func(x, y model.Const) int { return cmp.Compare(x.Name, y.Name) })
	slices.SortFunc(m.Aliases, func(x, y model.Alias) int { return cmp.Compare(x.Name, y.Name) })
	slices.SortFunc(m.Funcs, func(x, y model.Func) int { return cmp.Compare(x.Name, y.Name) })
}

// first is the name of an enum's first enumerator.
func first(e model.Enum) string {
	if len(e.Enumerators) == 0 {
		return ""
	}
	return e.Enumerators[0].Name
}
