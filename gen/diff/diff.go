// Package diff compares two models: what a new release of a header adds, and what it breaks.
package diff

import (
	"github.com/goverbs/ibv/gen/model"
)

// Options say what the headers cannot.
type Options struct {
	Front      []string // tags of structs that grow at their front
	Extensible []string // tags of structs that may grow though their declaration does not show it
}

// Class says whether programs built with the old header go on working.
type Class string

// The classes of changes.
const (
	Compatible   Class = "compatible"
	Incompatible Class = "incompatible"
)

// Kind names what happened to an item.
type Kind string

// The kinds of changes, in the order in which a report lists them.
const (
	RemovedName        Kind = "removed name"
	MovedMember        Kind = "moved member"
	InsertedMember     Kind = "inserted member" // on bytes that another member had
	ChangedMember      Kind = "changed member"  // size, type, sign or bits
	ChangedLayout      Kind = "changed layout"  // shrunk, another alignment, a struct made a union
	GrownInArrays      Kind = "grown struct passed in arrays"
	GrownStruct        Kind = "grown struct"
	ChangedEnumerator  Kind = "changed enumerator"
	ChangedConstant    Kind = "changed constant"
	ChangedEnum        Kind = "changed enum" // size, sign or tag
	ChangedFunction    Kind = "changed function"
	ChangedVersion     Kind = "changed symbol version"
	ChangedAlias       Kind = "changed alias"
	MovedSentinel      Kind = "moved sentinel"
	ReservedGivenName  Kind = "reserved bytes given a name"
	AppendedMember     Kind = "appended member"
	CompletedAggregate Kind = "completed struct" // was only declared
	AddedName          Kind = "added name"
)

// A Change is one difference.
type Change struct {
	Kind   Kind   `json:"kind"`
	Class  Class  `json:"class"`
	Item   string `json:"item"`             // struct ibv_wc, enum ibv_mtu, IBV_MTU_256, ibv_open_device()
	Member string `json:"member,omitempty"` // of a struct or union
	Old    string `json:"old,omitempty"`    // what changed, with numbers
	New    string `json:"new,omitempty"`
	Note   string `json:"note,omitempty"` // the mask bit of a member, why a growth is harmless or not
}

// A Report lists the differences of two models: incompatible ones first, then by kind, item and place.
type Report struct {
	Header  string   `json:"header"`
	Old     string   `json:"old"` // releases, or "old" and "new" where they do not tell the two apart
	New     string   `json:"new"`
	Changes []Change `json:"changes"`
}

// Diff compares two models of a header. The order of what they list does not count, nor do the versions of the kernel's headers.
func Diff(old, new *model.Model, opts ...Options) *Report {
	c := &comparison{old: side(old), new: side(new)}
	for _, o := range opts {
		c.opts.Front = append(c.opts.Front, o.Front...)
		c.opts.Extensible = append(c.opts.Extensible, o.Extensible...)
	}
	c.aggregates()
	c.enums()
	c.constants()
	c.aliases()
	c.functions()
	r := &Report{Header: new.Header, Old: old.Release, New: new.Release, Changes: c.changes}
	if r.Old == "" || r.New == "" || r.Old == r.New {
		r.Old, r.New = "old", "new"
	}
	r.sort()
	return r
}

// Status is 0 if nothing differs, 4 for compatible changes alone, 12 if there is an incompatible one.
func (r *Report) Status() int {
	status := 0
	for _, c := range r.Changes {
		if c.Class == Incompatible {
			return 12
		}
		status = 4
	}
	return status
}

// A comparison is the state of Diff.
type comparison struct {
	old, new sideModel
	opts     Options
	changes  []Change

	oldConstants map[string]constant // made when first asked for
}

// A sideModel is one of the two models, by name.
type sideModel struct {
	*model.Model
	aggregate map[string]*model.Aggregate
	enum      map[string]*model.Enum
	typedefs  map[string]bool
}

func side(m *model.Model) sideModel {
	s := sideModel{m, map[string]*model.Aggregate{}, map[string]*model.Enum{}, m.Typedefs()}
	for i := range m.Aggregates {
		s.aggregate[m.Aggregates[i].Name] = &m.Aggregates[i]
	}
	for i := range m.Enums {
		if m.Enums[i].Name != "" {
			s.enum[m.Enums[i].Name] = &m.Enums[i]
		}
	}
	return s
}

func (c *comparison) add(kind Kind, class Class, ch Change) {
	ch.Kind, ch.Class = kind, class
	c.changes = append(c.changes, ch)
}
