package gen

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/diff"
)

// An Output is a generated package, not yet on disk.
type Output struct {
	Dir     string
	Files   map[string][]byte // by path below Dir; a new record is one of them; nil: to be removed
	Release string            // of the header that was read
	Record  string            // path of the record if Release had none
}

// Write puts out on disk, all or nothing, and returns the names of the files that changed.
func (out *Output) Write() ([]string, error) { return WriteFiles(out.Dir, out.Files) }

// Diff says how what is on disk differs from out; empty if it does not.
func (out *Output) Diff() (string, error) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(out.Files)) {
		old, err := os.ReadFile(filepath.Join(out.Dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("cannot read %s: %w", filepath.Join(out.Dir, name), cause(err))
		}
		b.WriteString(TextDiff(name, old, out.Files[name]))
	}
	return b.String(), nil
}

// A RecordError says that a header is not what the record of its release says.
type RecordError struct {
	Header, Release string
	Report          *diff.Report
}

func (e *RecordError) Error() string {
	return fmt.Sprintf("%s differs from the record of its release %s; another release is given with -release", e.Header, e.Release)
}

// Detail lists the differences.
func (e *RecordError) Detail() string { return e.Report.Text() }
