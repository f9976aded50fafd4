package main

import (
	"errors"
	"flag"

	"github.com/goverbs/ibv/gen"
)

var diffCommand = &command{
	name:  "diff",
	args:  "OLD NEW [-json] [-header H] [-I DIR]...",
	short: "compare two releases, records or headers",
	long: `Compares two of: a release with a built-in record, a record's file (.json), a header (.h, as it is included or
a file's path). Prints one line for each change, by kind. Exit status 4 means compatible additions,
12 that something moved, changed or is gone. -header says which header's records releases mean.`,
	example: `  verbsgen diff 44.0 65.0
  verbsgen diff 65.0 infiniband/verbs.h -I /opt/rdma-core/include`,
	setup: func(fs *flag.FlagSet) func(*invocation) (int, error) {
		src := sourceFlags(fs, "")
		asJSON := fs.Bool("json", false, "print JSON")
		return func(inv *invocation) (int, error) {
			if len(inv.args) != 2 {
				return 0, usagef("two things to compare are needed, %d are given", len(inv.args))
			}
			full, err := inv.source(src)
			if err != nil {
				return 0, err
			}
			return compare(inv, full, *asJSON)
		}
	},
}

func compare(inv *invocation, src gen.Source, asJSON bool) (int, error) {
	old, err := gen.Open(inv.args[0], src)
	if err != nil {
		return 0, usageIfUnknown(err)
	}
	now, err := gen.Open(inv.args[1], src)
	if err != nil {
		return 0, usageIfUnknown(err)
	}
	r, err := gen.Compare(old, now)
	if err != nil {
		return 0, err
	}
	if asJSON {
		b, err := r.JSON()
		if err != nil {
			return 0, err
		}
		return r.Status(), write(inv.stdout, string(b))
	}
	return r.Status(), write(inv.stdout, r.Text())
}

// usageIfUnknown makes an unknown release an error in the command line.
func usageIfUnknown(err error) error {
	var unknown *gen.UnknownReleaseError
	if errors.As(err, &unknown) {
		return usagef("%v", err)
	}
	return err
}
