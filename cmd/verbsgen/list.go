package main

import (
	"encoding/json"
	"flag"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen"
)

var listCommand = &command{
	name:  "list",
	args:  "[-kind K] [-release R] [-header H [-I DIR]...] [-json]",
	short: "list every item with its C and Go names",
	long: `Lists every struct, union, enum, enumerator, constant, alias and function: kind, C name, Go name, the oldest
release that has it, and its size or value; a function is exported (with its symbol version), inline or
a macro, and its Go name is that of the call, or the reason why there is none stands at the end. Without
-release and -header it lists all releases with a built-in record together.`,
	example: `  verbsgen list -kind function,enum -release 44.0`,
	setup: func(fs *flag.FlagSet) func(*invocation) (int, error) {
		src := sourceFlags(fs, "")
		fs.StringVar(&src.Release, "release", "", "list what release `R` has")
		kind := fs.String("kind", "", "list items of kind `K` only, or of several: "+strings.Join(kinds, ","))
		asJSON := fs.Bool("json", false, "print JSON")
		return func(inv *invocation) (int, error) {
			var wanted []string
			if *kind != "" {
				wanted = strings.Split(*kind, ",")
			}
			for i, k := range wanted {
				if one, ok := strings.CutSuffix(k, "s"); ok && slices.Contains(kinds, one) {
					wanted[i], k = one, one
				}
				if !slices.Contains(kinds, k) {
					return 0, usagef("unknown kind %q (known: %s)", k, strings.Join(kinds, ", "))
				}
			}
			if err := inv.noArgs(); err != nil {
				return 0, err
			}
			full, err := inv.source(src)
			if err != nil {
				return 0, err
			}
			return statusOK, listItems(inv, full, wanted, *asJSON)
		}
	},
}

func listItems(inv *invocation, src gen.Source, wanted []string, asJSON bool) error {
	v, err := openView(src)
	if err == nil {
		err = v.addCalls()
	}
	if err != nil {
		return err
	}
	all := slices.DeleteFunc(items(v.model, defaultArch()), func(it item) bool {
		return len(wanted) > 0 && !slices.Contains(wanted, it.Kind)
	})
	for i := range all {
		it := &all[i]
		it.Go, it.Since = v.names.item(it.Kind, it.C)
		if it.Kind == "function" {
			it.Go, it.NoGo = v.names.call(it.C)
		}
	}
	if asJSON {
		b, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return err
		}
		return write(inv.stdout, string(b)+"\n")
	}
	p := newPainter(inv.stdout, inv.env)
	t := table{{{style: dim, text: "kind"}, {style: dim, text: "C name"}, {style: dim, text: "Go name"}, {style: dim, text: "since"}, {}}}
	for _, it := range all {
		note := it.note
		if it.NoGo != "" {
			note += ": " + it.NoGo
		}
		t = append(t, []cell{{style: dim, text: it.Kind}, {text: it.C}, {style: green, text: it.Go}, {style: dim, text: it.Since}, {text: note}})
	}
	return write(inv.stdout, t.String(p))
}
