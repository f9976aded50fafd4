// Package oracle asks a C compiler what a header declares, for tests: types from the DWARF that it writes, macros from an
// object file whose data holds their values. It shares no code with the generator, so that both can be compared.
package oracle

import "testing"

// Types are the struct, union and enum types at file scope of a header and of all that it includes, in the compiler's order.
type Types struct {
	Aggregates []Aggregate
	Enums      []Enum
}

// An Aggregate is a struct or a union.
type Aggregate struct {
	Name     string // the tag; without one, the first typedef's name; empty if neither
	Union    bool
	Typedef  bool // has no tag: Name is a typedef's
	Declared bool // declared, never defined: no size and no members
	Size     int64
	Members  []Member
	File     string // where it is declared; "" if the compiler does not say
	Line     int64
}

// A Member is a field of an aggregate.
type Member struct {
	Name   string // empty: an unnamed struct or union
	Offset int64  // bytes from the start of the innermost aggregate; of a bit-field: unused
	Size   int64  // bytes; 0 for a flexible array
	Type   string // prefix notation: "* const char", "[4] @uint32_t unsigned int", "struct tag"
	Body   *Aggregate
	Bits   int64 // width of a bit-field, else 0
	BitPos int64 // bits from the aggregate's start in the order in which the machine fills them
}

// An Enum is an enumeration.
type Enum struct {
	Name        string // as Aggregate.Name
	Typedef     bool
	Size        int64
	Signed      bool
	Enumerators []Enumerator
	File        string
	Line        int64
}

// An Enumerator is one name of an Enum, its value in decimal.
type Enumerator struct {
	Name  string
	Value string
}

// DWARF compiles a C file that includes header and nothing else, and reads the types from the debugging information. cc is the
// compiler's command line (gcc or clang), header a name for #include <...> (an absolute path will do).
func DWARF(t testing.TB, cc, include []string, header string) *Types {
	t.Helper()
	types, err := Read(cc, include, header)
	if err != nil {
		t.Fatal(err)
	}
	return types
}

// Named returns the aggregate of that name, or nil.
func (t *Types) Named(name string) *Aggregate {
	for i := range t.Aggregates {
		if t.Aggregates[i].Name == name {
			return &t.Aggregates[i]
		}
	}
	return nil
}
