// Package records holds the ABI records of rdma-core's verbs.h that the generated package is made from: one JSON file per
// release, as 'verbsgen dump' writes them.
package records

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/record"
)

//go:embed *.json
var files embed.FS

// Releases returns the releases that have a record, oldest first.
func Releases() []string {
	names, _ := fs.Glob(files, "*.json") // the pattern is good
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, ".json")
	}
	slices.SortFunc(names, record.CompareReleases)
	return names
}

// All returns all records, oldest first.
func All() ([]*model.Model, error) {
	var r []*model.Model
	for _, release := range Releases() {
		m, err := Get(release)
		if err != nil {
			return nil, err
		}
		r = append(r, m)
	}
	return r, nil
}

// Get returns the record of one release. An unknown release is an error that lists the known ones.
func Get(release string) (*model.Model, error) {
	if !slices.Contains(Releases(), release) {
		return nil, fmt.Errorf("no ABI record of release %.80q: there are %s", release, strings.Join(Releases(), ", "))
	}
	b, err := files.ReadFile(release + ".json")
	if err != nil {
		return nil, err
	}
	m, err := record.Read(b, "gen/records/"+release+".json")
	if err != nil {
		return nil, err
	}
	if m.Release != release {
		return nil, fmt.Errorf("gen/records/%s.json: it is the record of release %.80q", release, m.Release)
	}
	return m, nil
}
