package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
)

// Options are what the user decides about the package.
type Options struct {
	Package string   // its name; empty: ibv
	Archs   []string // GOARCH names, for which m must have numbers; empty: model.Archs
	Doc     bool     // give package ibv a package comment too; others always get one
}

// Plan decides the Go declarations for m. The error names an item that cannot be expressed, or two that share a Go name.
func Plan(m *model.Model, ov *overlay.Overlay, o Options) (*Package, error) {
	if ov == nil {
		ov = &overlay.Overlay{}
	}
	if o.Package == "" {
		o.Package = rootPackage
	}
	if len(o.Archs) == 0 {
		o.Archs = model.Archs
	}
	m = sorted(m)
	p := &planner{
		m: m, ov: ov, history: newHistory(m), typedefs: m.Typedefs(), scope: scope{},
		aggs: map[string]*model.Aggregate{}, enums: map[string]*model.Enum{}, goNames: map[string]string{},
		otherC: map[string][]string{}, memo: map[memoKey]*shape{},
		pkg: &Package{Name: o.Package, Header: clean(m.Header), Archs: slices.Clone(o.Archs),
			ArchTypes: map[string][]Type{}, ArchChecks: map[string][]Check{}},
	}
	for _, step := range []func() error{p.file, p.names, p.planEnums, p.planConsts, p.planTypes, p.depths} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	p.describe(o)
	return p.pkg, nil
}

// sorted is m with its lists in the order of C names, so that no other order shows in what comes out.
func sorted(m *model.Model) *model.Model {
	s := *m
	s.Aggregates, s.Enums = slices.Clone(m.Aggregates), slices.Clone(m.Enums)
	s.Consts, s.Aliases = slices.Clone(m.Consts), slices.Clone(m.Aliases)
	slices.SortStableFunc(s.Aggregates, func(a, b model.Aggregate) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(s.Enums, func(a, b model.Enum) int { return strings.Compare(enumKey(&a), enumKey(&b)) })
	slices.SortStableFunc(s.Consts, func(a, b model.Const) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(s.Aliases, func(a, b model.Alias) int { return strings.Compare(a.Name, b.Name) })
	return &s
}

// rootPackage is this module's own package, whose package comment is written by hand.
const rootPackage = "ibv"

type planner struct {
	m        *model.Model
	ov       *overlay.Overlay
	history  history
	typedefs map[string]bool
	pkg      *Package

	scope   scope                       // of the package
	aggs    map[string]*model.Aggregate // by C name
	enums   map[string]*model.Enum      // by C name, or first enumerator
	goNames map[string]string           // C name of a type, or first enumerator, to Go name
	otherC  map[string][]string         // C name of a type to the aliases that stand for it
	memo    map[memoKey]*shape
}

// file settles the package's and its files' names.
func (p *planner) file() error {
	if !isC(p.pkg.Name) || isKeyword(p.pkg.Name) || p.pkg.Name == "_" {
		return p.errorf("", "package "+p.pkg.Name, "not a Go package name")
	}
	base := strings.TrimSuffix(path.Base(path.Clean("/"+p.m.Header)), ".h")
	p.pkg.Base = strings.Map(func(r rune) rune {
		if isC("_" + string(r)) {
			return r
		}
		return '_'
	}, base)
	p.pkg.Base = strings.Trim(p.pkg.Base, "_")
	if p.pkg.Base == "" {
		return p.errorf("", "header "+p.m.Header, "its name gives no file name")
	}
	p.scope.reserve("Be16", "Be32", "Be64", "ToBe16", "ToBe32", "ToBe64")
	return nil
}

// describe writes the texts about the package as a whole.
func (p *planner) describe(o Options) {
	switch release, oldest := clean(p.m.Release), clean(p.history.oldest); {
	case oldest != "" && oldest != release && release != "":
		p.pkg.Source = "ABI records of rdma-core " + oldest + " to " + release
	case release != "":
		p.pkg.Source = "the ABI of rdma-core " + release
	default:
		p.pkg.Source = "a C header"
	}
	if p.pkg.Name != rootPackage || o.Doc {
		p.pkg.Doc = wrap("Package "+p.pkg.Name+" has the types and constants of "+p.pkg.Header+" as Go declarations of the same "+
			"layout, made from "+p.pkg.Source+".",
			"Constants keep their C names. Each type's comment gives the C name, which a manual page or the header explains. "+
				"Values of pointer members, and addresses that methods take and return, are those of C memory.")
	}
}
