// Package oracletest compares the models of headers with what C compilers say about the same headers.
package oracletest

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/internal/oracle"
)

// A comparison collects the differences between a model and the compiler's view on one architecture.
type comparison struct {
	m     *model.Model
	types *oracle.Types
	arch  string
	own   func(file string) bool // tells the header's own items from those of other headers
	diffs []string
}

func (c *comparison) errorf(format string, args ...any) {
	c.diffs = append(c.diffs, fmt.Sprintf(format, args...))
}

// compareTypes returns what differs between m and types in either direction; own items must be in both.
func compareTypes(m *model.Model, types *oracle.Types, arch string, own func(string) bool) []string {
	c := &comparison{m: m, types: types, arch: arch, own: own}
	c.aggregates()
	c.enums()
	return c.diffs
}

// ownFile reports whether rdma-core has declared what stands in file.
func ownFile(file string) bool {
	switch filepath.Base(filepath.Dir(file)) {
	case "infiniband":
		return true
	case "rdma":
		return slices.Contains([]string{"rdma_cma.h", "rdma_verbs.h", "rdma_cma_abi.h", "rsocket.h"}, filepath.Base(file))
	}
	return false
}

// A key tells apart tags and typedef names, which C keeps in two name spaces.
type key struct {
	name    string
	typedef bool
}

func (c *comparison) aggregates() {
	got := map[key]*model.Aggregate{}
	for i := range c.m.Aggregates {
		a := &c.m.Aggregates[i]
		k := key{a.Name, a.Typedef}
		if got[k] != nil {
			c.errorf("%s: twice in the model", a.Name)
		}
		got[k] = a
	}
	for i := range c.types.Aggregates {
		want := &c.types.Aggregates[i]
		k := key{want.Name, want.Typedef}
		a := got[k]
		delete(got, k)
		switch {
		case a == nil && want.Declared:
		case a == nil && c.own(want.File):
			c.errorf("%s (%s:%d): not in the model", want.Name, want.File, want.Line)
		case a == nil:
		case want.Declared && !a.Opaque:
			c.errorf("%s: the model has a body, the compiler none", want.Name)
		case a.Opaque && !want.Declared && c.own(want.File):
			c.errorf("%s: the compiler has a body, the model none", want.Name)
		case a.Opaque:
		case !c.own(want.File) && len(a.Members) == 0:
			c.size(want.Name, a, want) // a foreign type whose members are nobody's business: pthread_mutex_t
		default:
			c.aggregate(want.Name, a, want)
		}
	}
	for k, a := range got {
		// The compiler does not mention what only prototypes name.
		if !a.Opaque {
			c.errorf("%s (%s): not seen by the compiler", k.name, a.Pos)
		}
	}
}

func (c *comparison) size(name string, a *model.Aggregate, want *oracle.Aggregate) {
	if a.Union != want.Union {
		c.errorf("%s: union is %v, want %v", name, a.Union, want.Union)
	}
	if got := a.Size.At(c.arch); got != want.Size {
		c.errorf("%s: size %d, want %d", name, got, want.Size)
	}
}

func (c *comparison) aggregate(name string, a *model.Aggregate, want *oracle.Aggregate) {
	c.size(name, a, want)
	if len(a.Members) != len(want.Members) {
		c.errorf("%s: %d members, want %d", name, len(a.Members), len(want.Members))
		return
	}
	for i := range a.Members {
		c.member(name, &a.Members[i], &want.Members[i])
	}
}

func (c *comparison) member(parent string, m *model.Member, want *oracle.Member) {
	name := parent + "." + want.Name
	if m.Name != want.Name {
		c.errorf("%s: it is called %q in the model", name, m.Name)
		return
	}
	if got := m.Type.Text(); !c.sameType(got, want.Type) {
		c.errorf("%s: type %q, want %q", name, got, want.Type)
	}
	if want.Bits > 0 {
		if m.Bits == nil {
			c.errorf("%s: it is no bit-field", name)
		} else if pos, width := m.Bits.Pos.At(c.arch), int64(m.Bits.Width); pos != want.BitPos || width != want.Bits {
			c.errorf("%s: bits %d+%d, want %d+%d", name, pos, width, want.BitPos, want.Bits)
		}
		return
	}
	if m.Bits != nil {
		c.errorf("%s: a bit-field", name)
	}
	if got := m.Offset.At(c.arch); got != want.Offset {
		c.errorf("%s: offset %d, want %d", name, got, want.Offset)
	}
	if got := m.Size.At(c.arch); got != want.Size {
		c.errorf("%s: size %d, want %d", name, got, want.Size)
	}
	t := &m.Type
	for t.Elem != nil {
		t = t.Elem
	}
	if (t.Body == nil) != (want.Body == nil) {
		c.errorf("%s: has a body: %v, want %v", name, t.Body != nil, want.Body != nil)
	} else if t.Body != nil {
		c.aggregate(name, t.Body, want.Body)
	}
}

// sameType compares types in prefix notation. An enum without any name is its integer type in the model. Which of its two 64-bit
// types the kernel takes for __u64 depends on the machine; a model has this machine's.
func (c *comparison) sameType(got, want string) bool {
	if rest, ok := strings.CutSuffix(want, "enum"); ok {
		got, ok = strings.CutPrefix(got, rest)
		info, scalar := model.Scalars[got]
		return ok && scalar && !info.Float
	}
	if c.arch != runtime.GOARCH {
		got, want = strings.ReplaceAll(got, "long long", "long"), strings.ReplaceAll(want, "long long", "long")
	}
	return got == want
}

func (c *comparison) enums() {
	got := map[string]*model.Enum{}
	for i := range c.m.Enums {
		e := &c.m.Enums[i]
		got[enumKey(e.Name, e.Typedef, e.Enumerators[0].Name)] = e
	}
	if len(got) != len(c.m.Enums) {
		c.errorf("two enums of one name in the model")
	}
	for i := range c.types.Enums {
		want := &c.types.Enums[i]
		if len(want.Enumerators) == 0 {
			continue // only declared
		}
		k := enumKey(want.Name, want.Typedef, want.Enumerators[0].Name)
		e := got[k]
		delete(got, k)
		if e != nil {
			c.enum(k, e, want)
		} else if c.own(want.File) {
			c.errorf("%s (%s:%d): not in the model", k, want.File, want.Line)
		}
	}
	for k, e := range got {
		c.errorf("%s (%s): not seen by the compiler", k, e.Pos)
	}
}

func enumKey(name string, typedef bool, first string) string {
	switch {
	case name == "":
		return "enum of " + first
	case typedef:
		return name
	}
	return "enum " + name
}

func (c *comparison) enum(name string, e *model.Enum, want *oracle.Enum) {
	if e.Size != want.Size || e.Signed != want.Signed {
		c.errorf("%s: size %d, signed %v, want %d, %v", name, e.Size, e.Signed, want.Size, want.Signed)
	}
	var list []oracle.Enumerator
	for _, v := range e.Enumerators {
		list = append(list, oracle.Enumerator{Name: v.Name, Value: v.Value.String()})
	}
	if !slices.Equal(list, want.Enumerators) {
		c.errorf("%s: %v, want %v", name, list, want.Enumerators)
	}
}
