package main

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen"
	"github.com/goverbs/ibv/gen/model"
)

var layoutCommand = &command{
	name:  "layout",
	args:  "NAME... [-release R] [-header H [-I DIR]...] [-arch A]",
	short: "draw a struct: offsets, sizes, holes, cache lines",
	long: `Draws structs and unions, named in C or in Go: each member's offset, size, C declaration and Go name, what is
padding, and where a cache line starts; below, a map of the bytes. An accessor's name ends in ().
Without -release and -header the newest layout with a built-in record is drawn. Colours are used on
a terminal unless NO_COLOR is set.`,
	example: `  verbsgen layout ibv_wc WQInitAttr`,
	setup: func(fs *flag.FlagSet) func(*invocation) (int, error) {
		src := sourceFlags(fs, "")
		fs.StringVar(&src.Release, "release", "", "draw the layout of release `R`")
		arch := fs.String("arch", defaultArch(), "draw the layout on architecture `A` (default: this machine's)")
		return func(inv *invocation) (int, error) {
			if len(inv.args) == 0 {
				return 0, usagef("no struct is named")
			}
			if archs, err := parseArchs(*arch); err != nil || len(archs) != 1 {
				return 0, usagef("unknown architecture %q (known: %s)", *arch, strings.Join(model.Archs, ", "))
			}
			full, err := inv.source(src)
			if err != nil {
				return 0, err
			}
			return statusOK, layout(inv, full, *arch)
		}
	},
}

// defaultArch is this machine's architecture if it is supported.
func defaultArch() string {
	if slices.Contains(model.Archs, runtime.GOARCH) {
		return runtime.GOARCH
	}
	return model.Archs[0]
}

func layout(inv *invocation, src gen.Source, arch string) error {
	v, err := openView(src)
	if err != nil {
		return err
	}
	var drawn []string
	for _, name := range inv.args {
		a, err := v.aggregate(name)
		if err != nil {
			return err
		}
		drawn = append(drawn, v.draw(a, arch, newPainter(inv.stdout, inv.env)).String())
	}
	return write(inv.stdout, strings.Join(drawn, "\n"))
}

// draw makes the picture of a.
func (v *view) draw(a *model.Aggregate, arch string, paint painter) *picture {
	goName, since := v.names.item(kindOf(a), a.Name)
	shown := *a
	shown.Since = since
	d := &drafter{arch: arch, typedefs: v.model.Typedefs(), names: v.names.members(kindOf(a), a.Name), since: since}
	rows := d.draft(&shown)
	c := model.Type{Kind: model.Struct, Name: a.Name}
	if a.Union {
		c.Kind = model.Union
	}
	return &picture{agg: &shown, c: c.C("", d.typedefs), goName: goName, arch: arch, oldest: v.oldest, rows: rows, holes: d.holes, paint: paint}
}

func kindOf(a *model.Aggregate) string {
	if a.Union {
		return "union"
	}
	return "struct"
}

// aggregate finds a struct or union by its C or Go name.
func (v *view) aggregate(name string) (*model.Aggregate, error) {
	want := strings.TrimPrefix(strings.TrimPrefix(name, "struct "), "union ")
	var known []string
	for i := range v.model.Aggregates {
		a := &v.model.Aggregates[i]
		goName, _ := v.names.item(kindOf(a), a.Name)
		if want == a.Name || want == goName || want == v.alias(a.Name) {
			if a.Opaque {
				return nil, fmt.Errorf("%s is only declared in %s: its layout is not known", a.Name, v.model.Header)
			}
			return a, nil
		}
		known = append(known, a.Name, goName)
	}
	if near := nearest(want, known, 3); len(near) > 0 {
		return nil, fmt.Errorf("no struct or union %q in %s; did you mean %s?", name, v.model.Header, strings.Join(near, ", "))
	}
	return nil, fmt.Errorf("no struct or union %q in %s; 'verbsgen list -kind struct,union' lists them", name, v.model.Header)
}

// alias is the macro that stands for tag, if there is one.
func (v *view) alias(tag string) string {
	for _, a := range v.model.Aliases {
		if a.Tag == tag {
			return a.Name
		}
	}
	return ""
}
