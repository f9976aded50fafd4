package oracletest

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/goverbs/ibv/gen/plan"
	"github.com/goverbs/ibv/internal/oracle"
)

const hostArch = runtime.GOARCH

// frontGrown are the structs whose members keep their distance from the end.
var frontGrown = map[string]bool{"verbs_context": true}

// A goComparison collects the differences between the Go types of a package and a header's DWARF.
type goComparison struct {
	pkg      *goPackage
	seen     *reflected
	newest   bool // sizes must be equal, not just large enough
	compared int
	diffs    []string
}

func (c *goComparison) errorf(format string, args ...any) {
	c.diffs = append(c.diffs, fmt.Sprintf(format, args...))
}

// planned finds the Go type of a C name such as "struct ibv_wc".
func (c *goComparison) planned(cname string) *plan.Type {
	for _, list := range [][]plan.Type{c.pkg.plan.Types, c.pkg.plan.ArchTypes[hostArch]} {
		for i := range list {
			for _, name := range list[i].C {
				if name == cname {
					return &list[i]
				}
			}
		}
	}
	return nil
}

func (c *goComparison) named(goName string) *plan.Type {
	for _, list := range [][]plan.Type{c.pkg.plan.Types, c.pkg.plan.ArchTypes[hostArch]} {
		for i := range list {
			if list[i].Go == goName {
				return &list[i]
			}
		}
	}
	return nil
}

func (c *goComparison) types(types *oracle.Types) {
	for i := range types.Aggregates {
		a := &types.Aggregates[i]
		if !ownFile(a.File) || a.Declared {
			continue
		}
		cname := cName(a)
		ty := c.planned(cname)
		if ty == nil {
			c.errorf("%s: no Go type", cname)
			continue
		}
		c.aggregate(cname, ty, a)
	}
	for i := range types.Enums {
		e := &types.Enums[i]
		if ownFile(e.File) && e.Name != "" && len(e.Enumerators) > 0 {
			c.enum(e)
		}
	}
}

func cName(a *oracle.Aggregate) string {
	switch {
	case a.Typedef:
		return a.Name
	case a.Union:
		return "union " + a.Name
	}
	return "struct " + a.Name
}

func (c *goComparison) aggregate(cname string, ty *plan.Type, want *oracle.Aggregate) {
	got := c.seen.Types[ty.Go]
	if got == nil {
		c.errorf("%s: the program did not report on %s", cname, ty.Go)
		return
	}
	if got.Size < want.Size || c.newest && got.Size != want.Size {
		c.errorf("%s: %s has %d bytes, want %d", cname, ty.Go, got.Size, want.Size)
	}
	shift := int64(0)
	if frontGrown[want.Name] {
		shift = got.Size - want.Size
	}
	for i := range want.Members {
		c.member(cname, ty, got, &want.Members[i], shift)
	}
}

// member compares one member, which lies base bytes further on in the Go type.
func (c *goComparison) member(parent string, ty *plan.Type, got *reflectedType, want *oracle.Member, base int64) {
	if want.Name == "" {
		if want.Body != nil { // its members belong to the parent
			for i := range want.Body.Members {
				c.member(parent, ty, got, &want.Body.Members[i], base+want.Offset)
			}
		}
		return
	}
	name := parent + "." + want.Name
	place, of, ok := find(ty, got, want.Name)
	if !ok {
		c.errorf("%s: %s has neither a field nor an accessor for it", name, ty.Go)
		return
	}
	c.compared++
	if place.Err != "" {
		c.errorf("%s: %s", name, place.Err)
		return
	}
	if want.Bits > 0 {
		if bits := oneBits(got.Size, base*8+want.BitPos, want.Bits); place.Bits != bits {
			c.errorf("%s: its accessors reach bits %s, want %s", name, place.Bits, bits)
		}
		return
	}
	if place.Offset != base+want.Offset {
		c.errorf("%s: offset %d in %s, want %d", name, place.Offset, ty.Go, base+want.Offset)
	}
	// A flexible array's accessor reports its element. Newer releases give names to reserved bytes.
	named := !c.newest && strings.HasPrefix(want.Name, "reserved") && place.Size <= want.Size
	if want.Size != 0 && place.Size != want.Size && !named {
		c.errorf("%s: %d bytes in %s, want %d", name, place.Size, ty.Go, want.Size)
	}
	if want.Body != nil && !strings.HasPrefix(want.Type, "*") {
		c.nested(name, of, want.Body)
	}
}

func (c *goComparison) nested(name string, of plan.GoType, want *oracle.Aggregate) {
	for of.Elem != nil {
		of = *of.Elem
	}
	ty := c.named(of.Name)
	if ty == nil {
		c.errorf("%s: its Go type %s is not declared", name, of.Name)
		return
	}
	c.aggregate(name, ty, want)
}

// find returns where the Go type has a C member: in a field or behind an accessor.
func find(ty *plan.Type, got *reflectedType, cname string) (reflectedPlace, plan.GoType, bool) {
	for _, f := range ty.Fields {
		if f.C == cname {
			place, ok := got.Fields[f.Go]
			return place, f.Type, ok
		}
	}
	for _, a := range ty.Accessors {
		if a.C == cname {
			place, ok := got.Methods[a.Go]
			return place, a.Type, ok
		}
	}
	return reflectedPlace{}, plan.GoType{}, false
}

// oneBits is a type of size bytes with the given bits set, on this little-endian machine.
func oneBits(size, pos, width int64) string {
	b := make([]byte, size)
	for i := pos; i < pos+width && i/8 < size; i++ {
		b[i/8] |= 1 << (i % 8)
	}
	return fmt.Sprintf("%x", b)
}

func (c *goComparison) enum(want *oracle.Enum) {
	cname := "enum " + want.Name
	if want.Typedef {
		cname = want.Name
	}
	for _, e := range c.pkg.plan.Enums {
		for _, name := range e.C {
			if name != cname {
				continue
			}
			if got := c.seen.Enums[e.Go]; got.Size != want.Size || got.Signed != want.Signed {
				c.errorf("%s: %s has %d bytes, signed %v, want %d, %v", cname, e.Go, got.Size, got.Signed, want.Size, want.Signed)
			}
			return
		}
	}
	c.errorf("%s: no Go type", cname)
}

// constants compares every enumerator and integer macro. Sentinels move from release to release; the Go constant has the newest
// release's value.
func (c *goComparison) constants(types *oracle.Types, macros []oracle.Macro) {
	want := map[string]string{}
	for _, e := range types.Enums {
		if ownFile(e.File) {
			for _, v := range e.Enumerators {
				want[v.Name] = v.Value
			}
		}
	}
	for _, m := range macros {
		want[m.Name] = m.Value
	}
	for name, value := range want {
		c.compared++
		got, ok := c.seen.Consts[goConst(name)]
		if !ok {
			c.errorf("%s = %s: no Go constant", name, value)
		} else if got != value && (c.newest || !strings.HasSuffix(name, "_RESERVED")) {
			c.errorf("%s: %s in Go, want %s", name, got, value)
		}
	}
}

// goConst is the rule for names that Go would not export.
func goConst(name string) string {
	switch c := name[0]; {
	case c == '_':
		return "X" + name
	case c < 'A' || c > 'Z':
		return "X_" + name
	}
	return name
}
