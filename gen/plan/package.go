// Package plan decides what Go declarations stand for a C header: names, fields, padding, accessors, constants and the
// assertions that hold them to C's layout. A plan is plain data, made from a model and an overlay; emit prints it.
package plan

import "github.com/goverbs/ibv/gen/model"

// A Package is the plan of one generated Go package.
type Package struct {
	Name   string   // package clause
	Doc    []string // package comment; empty if the package has one in a file written by hand
	Base   string   // start of the names of generated files: verbs
	Header string   // as included: infiniband/verbs.h
	Source string   // what it was made from: ABI records of rdma-core 33.2 to 65.0
	Archs  []string // GOARCH names it serves

	Enums  []Enum  // sorted by Go name
	Groups []Group // constants without a Go type of their own
	Types  []Type  // sorted by Go name
	Checks []Check // layout that holds on every architecture

	ArchTypes  map[string][]Type  // declarations that differ between architectures
	ArchChecks map[string][]Check // layout that differs between architectures

	Helpers Helpers
}

// Helpers tells which of the helper declarations the package needs.
type Helpers struct {
	Be16, Be32, Be64 bool // the byte order types that it mentions
	Flags            bool // text of a set of flags
	Bits             bool // bit-field access, which asks each architecture for its byte order
}

// An Enum is an integer type with named values.
type Enum struct {
	Go     string
	C      []string // "enum ibv_wc_status", then names that stand for it
	Doc    []string // comment lines
	Under  string   // uint32
	Signed bool
	Flags  bool // a set of bits: its text is the names of the bits
	Group  Group
	Names  []Name // what String knows, one name per value
}

// A Name is a value's name in an Enum's String.
type Name struct {
	Value model.Value
	Const string // Go constant
	C     string
}

// A Group is a const block.
type Group struct {
	Doc    []string
	Consts []Const
}

// A Const is one constant.
type Const struct {
	Go    string
	C     string
	Type  string // Go type; empty: untyped
	Value model.Value
	Text  string // Go source of the value: 1 << 3
	Doc   []string
	Note  string // comment at the end of its line
}

// A Type is a struct type. Unions are structs whose only field is storage.
type Type struct {
	Go        string
	C         []string // "struct ibv_wc", then names that stand for it; empty if no Go user sees the type
	Doc       []string
	AliasOf   string // Go name of the type for which this one is another name
	Size      model.Num
	Align     model.Num // C's; Go's is at most 8
	Fields    []Field
	Accessors []Accessor
}

// A Field is one field of a Type, padding and markers (named _) included.
type Field struct {
	Go     string
	C      string // C name; empty for what C does not name
	CType  string // C type; empty for what C does not name
	Type   GoType
	Whole  bool // an aggregate or array
	Doc    []string
	Note   string // comment at the end of its line
	Since  string // if the member is newer than the struct: "since 44.0"
	Offset model.Num
	Size   model.Num
}

// A Check is one assertion about a type's layout.
type Check struct {
	What  What
	Type  string // Go type
	Field string // its field, if it is about one; for CheckConst the constant
	Want  int64
}

// What a Check compares.
type What uint8

// The kinds of checks.
const (
	CheckSize      What = iota // size of the type
	CheckAlign                 // alignment of the type
	CheckOffset                // offset of the field
	CheckFieldSize             // size of the field
	CheckFromEnd               // distance of the field from the end of the type
	CheckEnum                  // size of an enum type
	CheckConst                 // a constant that places what is no Go field
)
