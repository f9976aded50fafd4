package gen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// Open reads what a command line names: a release with a built-in record of s's header, a record's file (.json) or a
// header (as included, or the path of a file).
func Open(name string, s Source) (*model.Model, error) {
	known, err := Known(s.header(), "")
	if err != nil {
		return nil, err
	}
	if m := ByRelease(known, name); m != nil {
		return m, nil
	}
	switch filepath.Ext(name) {
	case ".json":
		return ReadRecord(name)
	case ".h":
		s.Header = name
		return s.Load()
	}
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is neither a record (.json) nor a header (.h)", name)
	}
	return nil, &UnknownReleaseError{name, Releases(known)}
}

// An UnknownReleaseError names a release that no record is built in of.
type UnknownReleaseError struct {
	Release string
	Known   []string
}

func (e *UnknownReleaseError) Error() string {
	return fmt.Sprintf("unknown release %q (known: %s)", e.Release, strings.Join(e.Known, ", "))
}
