package overlay

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// Validate reports entries that match nothing in m and those of functions that contradict themselves, all in one error of one
// line each. Entries written for another header that o's header may include are let pass.
func (o *Overlay) Validate(m *model.Model) error {
	if o.inherited {
		return nil
	}
	x := newIndex(m)
	c := checker{header: o.Header}
	for _, tag := range o.Front {
		c.want(x.aggregates[tag] != nil, "front: struct %s", tag)
	}
	for _, tag := range slices.Sorted(maps.Keys(o.Structs)) {
		c.structEntry(x, tag, o.Structs[tag])
	}
	for _, key := range slices.Sorted(maps.Keys(o.Enums)) {
		c.enumEntry(x, key, o.Enums[key])
	}
	for _, name := range slices.Sorted(maps.Keys(o.Consts)) {
		c.want(x.consts[name], "constant %s", name)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Functions)) {
		c.want(x.functions[name], "function %s", name)
		c.functionEntry(name, o.Functions[name])
	}
	return errors.Join(c.errs...)
}

// A checker gathers what is wrong with an overlay.
type checker struct {
	header string
	errs   []error
}

func (c *checker) want(ok bool, format string, args ...any) {
	if !ok {
		what := fmt.Sprintf(format, args...)
		c.errs = append(c.errs, fmt.Errorf("overlay for %s: %s matches nothing in the header", c.header, what))
	}
}

func (c *checker) structEntry(x *index, tag string, s Struct) {
	members := x.aggregates[tag]
	c.want(members != nil, "struct %s", tag)
	if members == nil {
		return
	}
	for _, path := range slices.Sorted(maps.Keys(s.Members)) {
		c.want(members[path], "struct %s: member %s", tag, path)
		if t := s.Members[path].Type; t != "" {
			c.want(x.enums[t] != nil, "struct %s: member %s: type %s", tag, path, t)
		}
	}
}

func (c *checker) enumEntry(x *index, key string, e Enum) {
	values := x.enums[key]
	c.want(values != nil, "enum %s", key)
	if values == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(e.Values)) {
		c.want(values[name], "enum %s: value %s", key, name)
	}
}

// failures are the words that Function.Fails may be.
var failures = []string{FailsNull, FailsErrno, FailsMinus1, FailsNegative, FailsNone}

// functionEntry checks what needs no header: whether the entry makes sense.
func (c *checker) functionEntry(name string, f Function) {
	bad := func(format string, args ...any) {
		c.errs = append(c.errs, fmt.Errorf("overlay for %s: function %s: "+format, append([]any{c.header, name}, args...)...))
	}
	if f.Skip != "" {
		if f.Skip = ""; f != (Function{}) {
			bad("has no binding (skip), so nothing else can be said of it")
		}
		return
	}
	if !slices.Contains(failures, f.Fails) {
		bad("fails is %q, not one of %s", f.Fails, strings.Join(failures, ", "))
	}
	if f.Value && f.Fails != FailsMinus1 {
		bad("value belongs to functions that fail with %s", FailsMinus1)
	}
	if f.Most != "" && f.Fails != FailsNegative {
		bad("most belongs to functions that fail with %s", FailsNegative)
	}
	if f.OrMinus1 && f.Fails != FailsErrno {
		bad("or_minus1 belongs to functions that fail with %s", FailsErrno)
	}
}
