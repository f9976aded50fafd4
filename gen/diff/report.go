package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// kinds is the order of kinds in a report.
var kinds = []Kind{RemovedName, MovedMember, InsertedMember, ChangedMember, ChangedLayout, GrownInArrays, GrownStruct,
	ChangedEnumerator, ChangedConstant, ChangedEnum, ChangedFunction, ChangedVersion, ChangedAlias, MovedSentinel,
	ReservedGivenName, AppendedMember, CompletedAggregate, AddedName}

// sort orders changes by class, kind and item. Members keep the order in which they were found, which is the header's.
func (r *Report) sort() {
	slices.SortStableFunc(r.Changes, func(a, b Change) int {
		return cmp.Or(-strings.Compare(string(a.Class), string(b.Class)),
			cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), strings.Compare(a.Item, b.Item))
	})
}

// Text returns the report for people: a first line, then one line for each change.
func (r *Report) Text() string {
	var b strings.Builder
	verdict := map[int]string{0: "no difference", 4: "compatible additions", 12: "incompatible changes"}[r.Status()]
	fmt.Fprintf(&b, "%s, %s to %s: %s\n", r.Header, r.Old, r.New, verdict)
	class := Class("")
	for _, c := range r.Changes {
		if c.Class != class {
			class = c.Class
			fmt.Fprintf(&b, "\n%s (%d):\n", class, r.count(class))
		}
		fmt.Fprintf(&b, "  %s\n", r.Line(c))
	}
	return b.String()
}

func (r *Report) count(class Class) int {
	n := 0
	for _, c := range r.Changes {
		if c.Class == class {
			n++
		}
	}
	return n
}

// Line spells one change of r.
func (r *Report) Line(c Change) string {
	s := fmt.Sprintf("%s: %s", c.Kind, c.Item)
	if c.Member != "" {
		s += "." + c.Member
	}
	var sides []string
	if c.Old != "" {
		sides = append(sides, fmt.Sprintf("%s in %s", c.Old, r.Old))
	}
	if c.New != "" {
		sides = append(sides, fmt.Sprintf("%s in %s", c.New, r.New))
	}
	if len(sides) > 0 {
		s += ": " + strings.Join(sides, ", ")
	}
	if c.Note != "" {
		s += " (" + c.Note + ")"
	}
	return s
}

// JSON returns the report for programs.
func (r *Report) JSON() ([]byte, error) {
	out := *r
	out.Changes = append([]Change{}, r.Changes...) // never null
	b, err := json.MarshalIndent(struct {
		Report
		Status int `json:"status"`
	}{out, r.Status()}, "", "  ")
	return append(b, '\n'), err
}
