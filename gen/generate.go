package gen

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/compiler"
	"github.com/goverbs/ibv/gen/diff"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
	"github.com/goverbs/ibv/gen/record"
)

// Options say what Generate makes.
type Options struct {
	Source
	Dir     string           // where the package is
	Package string           // its name; empty: ibv
	Archs   []string         // which per-architecture files to make; empty: all
	Overlay *overlay.Overlay // in place of the header's own; nil: that
}

// Generate reads a header, checks it with the C compiler and against the record of its release, and makes the Go package of all known
// releases of it. It writes nothing.
func Generate(o Options) (*Output, error) {
	for _, a := range o.Archs {
		if !slices.Contains(model.Archs, a) {
			return nil, compiler.UnknownArch(a)
		}
	}
	m, err := o.LoadChecked()
	if err != nil {
		return nil, err
	}
	if m.Release == "" {
		return nil, fmt.Errorf("%s does not tell its release (no libibverbs.pc belongs to it): give it with -release", m.Header)
	}
	folder := recordFolder(o.Dir)
	known, err := Known(m.Header, filepath.Join(o.Dir, folder))
	if err != nil {
		return nil, err
	}
	out := &Output{Dir: o.Dir, Release: m.Release}
	var rec []byte
	if old := ByRelease(known, m.Release); old != nil {
		r, err := Compare(old, m)
		if err != nil {
			return nil, err
		}
		if r.Status() != 0 {
			r.Old, r.New = "the record", "the header"
			return nil, &RecordError{Header: m.Header, Release: m.Release, Report: r}
		}
	} else {
		if rec, err = record.Write(m); err != nil {
			return nil, err
		}
		out.Record = path.Join(folder, recordName(m))
		known = withRecord(known, m)
		if out.News, err = news(known, m); err != nil {
			return nil, err
		}
	}
	if out.Files, err = o.source(m.Header, known); err != nil {
		return nil, err
	}
	if out.Record != "" {
		out.Files[out.Record] = rec
	}
	return out, cmp.Or(out.ours(m.Header), out.samePackage(cmp.Or(o.Package, "ibv")))
}

// news tells what m changes since the release before it.
func news(known []*model.Model, m *model.Model) (*diff.Report, error) {
	for i, k := range known {
		if k == m && i > 0 {
			return Compare(known[i-1], m)
		}
	}
	return nil, nil
}

// recordFolder is where a package in dir keeps its records: gen/records in the generator's own module, else records.
func recordFolder(dir string) string {
	if info, err := os.Stat(filepath.Join(dir, "gen", "records")); err == nil && info.IsDir() {
		return "gen/records"
	}
	return "records"
}

func recordName(m *model.Model) string {
	if m.Header == DefaultHeader {
		return m.Release + ".json"
	}
	return strings.TrimSuffix(path.Base(m.Header), ".h") + "-" + m.Release + ".json"
}
