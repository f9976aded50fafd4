package main

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"

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
		return func(inv *invocation) (int, error) {
			full, err := inv.source(src)
			if err != nil {
				return 0, err
			}
			return statusOK, dump(inv, full, *out)
		}
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
	if strings.HasSuffix(out, "/") {
		return fmt.Errorf("cannot write %s: it names a folder", out)
	}
	_, err = gen.WriteFiles(filepath.Dir(out), map[string][]byte{filepath.Base(out): b})
	return err
}
