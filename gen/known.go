package gen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
	"github.com/goverbs/ibv/gen/record"
	"github.com/goverbs/ibv/gen/records"
)

// Known returns the records of header, oldest first: those built in, and those in the folder dir, which take their place for the
// same release. An empty or missing dir has none.
func Known(header, dir string) ([]*model.Model, error) {
	known, err := records.All()
	if err != nil {
		return nil, err
	}
	known = slices.DeleteFunc(slices.Clone(known), func(m *model.Model) bool { return m.Header != header })
	added, err := readFolder(dir)
	if err != nil {
		return nil, err
	}
	for _, m := range added {
		if m.Header == header {
			known = withRecord(known, m)
		}
	}
	return known, nil
}

// withRecord puts m into a sorted list, in place of the record of its release if there is one.
func withRecord(list []*model.Model, m *model.Model) []*model.Model {
	i, found := slices.BinarySearchFunc(list, m, func(a, b *model.Model) int { return record.CompareReleases(a.Release, b.Release) })
	if found {
		list = slices.Clone(list)
		list[i] = m
		return list
	}
	return slices.Insert(slices.Clone(list), i, m)
}

func readFolder(dir string) (list []*model.Model, err error) {
	if dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the folder of records %s: %w", dir, cause(err))
	}
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") || filepath.Ext(e.Name()) != ".json" {
			continue
		}
		m, err := ReadRecord(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// maxRecord bounds the size of a record's file; real ones have less than 1 MB.
const maxRecord = 64 << 20

// ReadRecord reads a record's file.
func ReadRecord(path string) (*model.Model, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the record %s: %w", path, cause(err))
	}
	if !info.Mode().IsRegular() || info.Size() > maxRecord {
		return nil, fmt.Errorf("%s is no record: not a file, or larger than %d MB", path, maxRecord>>20)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the record %s: %w", path, cause(err))
	}
	return record.Read(b, path)
}

// ByRelease returns the record of release, or nil.
func ByRelease(known []*model.Model, release string) *model.Model {
	for _, m := range known {
		if m.Release == release {
			return m
		}
	}
	return nil
}

// Releases names the releases of known.
func Releases(known []*model.Model) (names []string) {
	for _, m := range known {
		names = append(names, m.Release)
	}
	return names
}

// Union joins records of one header, oldest first, and returns what the overlay says about it too.
func Union(header string, known []*model.Model) (*model.Model, *overlay.Overlay, error) {
	ov, err := overlay.For(header)
	if err != nil {
		return nil, nil, err
	}
	u, err := record.Union(known, ov.Front)
	if err != nil {
		return nil, nil, err
	}
	return u, ov, nil
}
