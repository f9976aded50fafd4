package main

import (
	"flag"
	"path/filepath"

	"github.com/goverbs/ibv/gen"
	"github.com/goverbs/ibv/gen/record"
)

var dumpCommand = &command{
	name:  "dump",
	args:  "[-header H] [-I DIR]... [-release R] [-o F]",
	short: "write a header's ABI record as JSON",
	long: `Reads a header for all architectures and writes what it declares as an ABI record: names, values,
sizes, offsets, functions with their symbol versions. 'verbsgen diff' compares records. Without -o
the record goes to standard output.`,
	example: `  verbsgen dump -o 65.0.json -I /opt/rdma-core-65.0/include`,
	setup: func(fs *flag.FlagSet) func(*invocation) (int, error) {
		src := sourceFlags(fs, "")
		fs.StringVar(&src.Release, "release", "", "`R` is the header's release (default: from the libibverbs.pc beside it)")
		out := fs.String("o", "", "write file `F`")
		return func(inv *invocation) (int, error) { return statusOK, dump(inv, inv.source(src), *out) }
	},
}

func dump(inv *invocation, src gen.Source, out string) error {
	if err := inv.noArgs(); err != nil {
		return err
	}
	m, err := src.LoadChecked()
	if err != nil {
		return err
	}
	b, err := record.Write(m)
	if err != nil {
		return err
	}
	if out == "" {
		return write(inv.stdout, string(b))
	}
	_, err = gen.WriteFiles(filepath.Dir(out), map[string][]byte{filepath.Base(out): b})
	return err
}
