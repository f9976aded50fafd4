package bind

import (
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
)

type planner struct {
	in      Input
	oldest  *model.Model
	pkg     *Package
	funcs   map[string]*model.Func
	aggs    map[string]*model.Aggregate
	enums   map[string]*model.Enum
	goNames map[string]string // "struct ibv_pd", "enum ibv_rate" or an alias to Go name
	made    map[string]bool   // tags of what the library allocates
	grown   map[string]bool   // tags of what has another size in another record
}

func newPlanner(in Input) *planner {
	if in.Overlay == nil {
		in.Overlay = &overlay.Overlay{}
	}
	if in.Package == "" {
		in.Package = "cverbs"
	}
	union := *in.Union
	union.Funcs = slices.Clone(union.Funcs)
	slices.SortStableFunc(union.Funcs, func(a, b model.Func) int { return strings.Compare(a.Name, b.Name) })
	in.Union = &union
	p := &planner{in: in, oldest: in.Records[0], funcs: map[string]*model.Func{}, aggs: map[string]*model.Aggregate{},
		enums: map[string]*model.Enum{}, goNames: map[string]string{}, made: map[string]bool{}, grown: map[string]bool{},
		pkg: &Package{Name: in.Package, Import: in.Import, Header: in.Union.Header, Source: in.Types.Source, Oldest: in.Records[0].Release}}
	for i := range union.Aggregates {
		p.aggs[union.Aggregates[i].Name] = &union.Aggregates[i]
	}
	for i := range union.Enums {
		p.enums[union.Enums[i].Name] = &union.Enums[i]
	}
	for i := range union.Funcs {
		p.funcs[union.Funcs[i].Name] = &union.Funcs[i]
	}
	p.nameTypes()
	p.findSizes()
	return p
}

// nameTypes notes the Go name of each C type.
func (p *planner) nameTypes() {
	add := func(names []string, goName string) {
		for _, c := range names {
			p.goNames[c] = goName
		}
	}
	for _, t := range p.in.Types.Types {
		add(t.C, t.Go)
	}
	for _, types := range p.in.Types.ArchTypes {
		for _, t := range types {
			add(t.C, t.Go)
		}
	}
	for _, e := range p.in.Types.Enums {
		add(e.C, e.Go)
	}
}

// goEnum is the Go name of an enum, by its tag or its typedef's name.
func (p *planner) goEnum(name string) string {
	if s := p.goNames["enum "+name]; s != "" {
		return s
	}
	return p.goNames[name]
}
