package main

import (
	"flag"
	"fmt"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen"
	"github.com/goverbs/ibv/gen/model"
)

var generateCommand = &command{
	name:  "generate",
	args:  "[-check] [-header H] [-I DIR]... [-arch LIST] [-package P] [-release R] [-o DIR]",
	short: "write the Go package of a header",
	long: `Reads a header, checks every number with the C compiler, and compares it with the record of its
release; a release without one gets one, in DIR/gen/records if that folder exists, else in
DIR/records. Then writes the Go declarations of all known releases together, checked by Go's type
checker on every architecture, so that the result does not depend on which release is installed.
Either all files are written or none; files that are right already are not touched.
With -check nothing is written: what would change is shown, with exit status 4.`,
	example: `  verbsgen generate -package rdmacm -header rdma/rdma_cma.h -o internal/rdmacm`,
	setup: func(fs *flag.FlagSet) func(*invocation) (int, error) {
		src := sourceFlags(fs, "")
		var o gen.Options
		archs := fs.String("arch", "", "make a package for the architectures of `LIST` only, such as amd64,arm64 (default: all)")
		fs.StringVar(&o.Package, "package", "ibv", "`P` is the package's name (default ibv)")
		fs.StringVar(&src.Release, "release", "", "`R` is the header's release (default: from the libibverbs.pc beside it)")
		fs.StringVar(&o.Dir, "o", ".", "write into folder `DIR` (default .)")
		check := fs.Bool("check", false, "write nothing, show what would change")
		return func(inv *invocation) (int, error) {
			var err error
			if o.Source, err = inv.source(src); err != nil {
				return 0, err
			}
			if o.Archs, err = parseArchs(*archs); err != nil {
				return 0, err
			}
			if !packageName.MatchString(o.Package) || token.IsKeyword(o.Package) || o.Package == "main" || o.Package == "documentation" {
				return 0, usagef("%q cannot be a package's name", o.Package)
			}
			if err := inv.noArgs(); err != nil {
				return 0, err
			}
			return generate(inv, o, *check)
		}
	},
}

// packageName is what a package may be called; main would be a program, and go passes over a package documentation.
var packageName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

func generate(inv *invocation, o gen.Options, check bool) (int, error) {
	out, err := gen.Generate(o)
	if err != nil {
		return 0, err
	}
	if check {
		if out.News != nil {
			if err := write(inv.stdout, out.News.Text()+"\n"); err != nil {
				return 0, err
			}
		}
		d, err := out.Diff()
		if err != nil || d == "" {
			return statusOK, err
		}
		return statusChanged, write(inv.stdout, d)
	}
	changed, err := out.Write()
	if err != nil {
		return 0, err
	}
	if out.News != nil {
		if err := write(inv.stdout, out.News.Text()+"\n"); err != nil {
			return 0, err
		}
	}
	if len(changed) == 0 {
		return statusOK, write(inv.stdout, fmt.Sprintf("%d files in %s are up to date with rdma-core %s\n", len(out.Files), o.Dir, out.Release))
	}
	for _, name := range changed {
		verb, note := "wrote", ""
		if out.Files[name] == nil {
			verb = "removed"
		}
		if name == out.Record {
			note = " (the record of release " + out.Release + ", which is new)"
		}
		if _, err := fmt.Fprintf(inv.stdout, "%s %s%s\n", verb, filepath.Join(o.Dir, name), note); err != nil {
			return 0, err
		}
	}
	return statusOK, nil
}

// parseArchs splits a list of GOARCH names; an empty one means all.
func parseArchs(s string) ([]string, error) {
	if s == "" {
		return nil, nil
	}
	archs := strings.Split(s, ",")
	for _, a := range archs {
		if !slices.Contains(model.Archs, a) {
			return nil, usagef("unknown architecture %q (known: %s)", a, strings.Join(model.Archs, ", "))
		}
	}
	return archs, nil
}
