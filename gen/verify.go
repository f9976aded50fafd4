package gen

import (
	"fmt"

	"github.com/goverbs/ibv/gen/diff"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/probe"
	"github.com/goverbs/ibv/gen/record"
)

// A Verification is what Verify found.
type Verification struct {
	Header   string           // as included
	Release  string           // of the header; may be empty
	Against  string           // what it was compared with
	Report   *diff.Report     // what the header changes
	Conflict string           // why the header does not go together with all records; may be empty
	Compiler []probe.Mismatch // where the C compiler lays the header out otherwise than it was read
}

// Verify compares a header, and the C compiler's own layout of it, with what was built in: the record of its release. A release
// without a record is compared with the newest record before it, since it need not have what came later; but what it has must
// agree with all records.
func Verify(s Source) (*Verification, error) {
	m, err := s.Load()
	if err != nil {
		return nil, err
	}
	asked := s.startCheck(m) // another process does the work
	v, err := compareKnown(m)
	told := <-asked
	if err != nil {
		return nil, err
	}
	if told.err != nil {
		return nil, told.err
	}
	v.Compiler = told.mismatches
	return v, nil
}

// compareKnown compares m with the records of its header.
func compareKnown(m *model.Model) (*Verification, error) {
	known, err := Known(m.Header, "")
	if err != nil {
		return nil, err
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("no record of %s is built in, so there is nothing to compare with; 'verbsgen dump' makes records, 'verbsgen diff' compares them", m.Header)
	}
	old, err := base(known, m)
	if err != nil {
		return nil, err
	}
	v := &Verification{Header: m.Header, Release: m.Release, Against: "the record of " + old.Release}
	if v.Report, err = Compare(old, m); err != nil {
		return nil, err
	}
	v.Report.Old, v.Report.New = "the record", "the header"
	if old.Release != m.Release {
		v.Against += ", since " + orUnknown(m.Release) + " has none"
		if _, _, err := Union(m.Header, withRecord(known, m)); err != nil && m.Release != "" {
			v.Conflict = err.Error()
		}
	}
	return v, nil
}

func orUnknown(release string) string {
	if release == "" {
		return "an unknown release"
	}
	return release
}

// base returns the record to compare m with: that of its release or, if there is none, the newest before it, else the oldest. A
// header of unknown release may be as old as any that it has all names of.
func base(known []*model.Model, m *model.Model) (*model.Model, error) {
	r := known[0]
	for _, k := range known {
		if m.Release == "" {
			report, err := Compare(k, m)
			if err != nil {
				return nil, err
			}
			if report.Status() == 12 {
				continue
			}
		}
		if record.CompareReleases(k.Release, m.Release) <= 0 {
			r = k
		}
	}
	return r, nil
}

// Status is 0 if nothing differs, 4 for compatible additions and 12 for incompatible changes.
func (v *Verification) Status() int {
	if len(v.Compiler) > 0 || v.Conflict != "" {
		return 12
	}
	return v.Report.Status()
}
