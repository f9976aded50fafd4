package main

import (
	"cmp"
	"flag"
	"fmt"
	"strings"

	"github.com/goverbs/ibv/gen"
	"github.com/goverbs/ibv/gen/diff"
	"github.com/goverbs/ibv/gen/probe"
)

var verifyCommand = &command{
	name:  "verify",
	args:  "[-header H] [-I DIR]... [-release R] [-json]",
	short: "compare the installed header with what was built in",
	long: `Reads a header, asks the C compiler for its own layout of it, and compares both with the built-in record
of the header's release. A release without a record is compared with the newest record before it, and
must agree with the later ones. Exit status 0 means the same, 4 compatible additions, 12 incompatible.
The compiler is $CC or else gcc, cc or clang.`,
	example: `  verbsgen verify -I /opt/rdma-core/include`,
	setup: func(fs *flag.FlagSet) func(*invocation) (int, error) {
		src := sourceFlags(fs, "")
		fs.StringVar(&src.Release, "release", "", "`R` is the header's release (default: from the libibverbs.pc beside it)")
		asJSON := fs.Bool("json", false, "print JSON")
		return func(inv *invocation) (int, error) {
			if err := inv.noArgs(); err != nil {
				return 0, err
			}
			full, err := inv.source(src)
			if err != nil {
				return 0, err
			}
			return verify(inv, full, *asJSON)
		}
	},
}

// A verdict is verify's result as JSON.
type verdict struct {
	Header   string           `json:"header"`
	Release  string           `json:"release,omitempty"`
	Against  string           `json:"against"`
	Status   int              `json:"status"`
	Report   *diff.Report     `json:"report"`
	Conflict string           `json:"conflict,omitempty"`
	Compiler []probe.Mismatch `json:"compiler,omitempty"`
}

func verify(inv *invocation, src gen.Source, asJSON bool) (int, error) {
	v, err := gen.Verify(src)
	if err != nil {
		return 0, err
	}
	status := v.Status()
	if asJSON {
		if v.Report.Changes == nil {
			v.Report.Changes = []diff.Change{}
		}
		return status, writeJSON(inv, verdict{v.Header, v.Release, v.Against, status, v.Report, v.Conflict, v.Compiler})
	}
	var b strings.Builder
	words := map[int]string{statusOK: "same as", statusChanged: "compatible additions to", statusIncompatible: "incompatible with"}
	fmt.Fprintf(&b, "%s of %s: %s %s\n", v.Header, cmp.Or(v.Release, "an unknown release"), words[status], v.Against)
	if len(v.Report.Changes) > 0 {
		_, changes, _ := strings.Cut(v.Report.Text(), "\n") // its first line is like ours
		b.WriteString(changes)
	}
	if v.Conflict != "" {
		fmt.Fprintf(&b, "it does not go together with all records: %s\n", v.Conflict)
	}
	for _, m := range v.Compiler {
		fmt.Fprintf(&b, "the C compiler disagrees: %v\n", m)
	}
	return status, write(inv.stdout, b.String())
}
