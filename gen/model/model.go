// Package model describes what a C header declares: aggregates, enumerations,
// constants and functions, with their sizes, offsets and values on each
// architecture. It is plain data: load fills it, record stores it, plan reads it.
package model

// Archs are the architectures (GOARCH names) that one generated source serves, all on glibc.
var Archs = []string{"amd64", "arm64", "ppc64le", "riscv64", "s390x"}

// A Model is what one header of one release declares or, after a union of records, what several releases declare.
// Every list is sorted by C name, except members and enumerators, which keep the header's order.
type Model struct {
	Header  string `json:"header"`            // as included: infiniband/verbs.h
	Release string `json:"release,omitempty"` // rdma-core release: 65.0
	Level   string `json:"level,omitempty"`   // exported ABI level: 1.18
	Kernel  string `json:"kernel,omitempty"`  // version of the kernel's user headers that took part in the parse

	Aggregates []Aggregate `json:"aggregates"`
	Enums      []Enum      `json:"enums"`
	Consts     []Const     `json:"consts"`
	Aliases    []Alias     `json:"aliases,omitempty"`
	Funcs      []Func      `json:"functions"`
}

// An Aggregate is a struct or a union. Nested unnamed ones stand in the Body of a member's type.
type Aggregate struct {
	Name    string   `json:"name,omitempty"` // the tag, or the typedef's name if Typedef; empty if unnamed
	Union   bool     `json:"union,omitempty"`
	Typedef bool     `json:"typedef,omitempty"` // has no tag: C spells it Name, not struct Name
	Opaque  bool     `json:"opaque,omitempty"`  // declared only, or foreign and reached by pointers only: no members, size 0
	Size    Num      `json:"size"`
	Align   Num      `json:"align"`
	Members []Member `json:"members,omitempty"`
	Since   string   `json:"since,omitempty"` // only in a union of records: the oldest release that has it
	Pos     string   `json:"-"`               // file:line
}

// A Member is a field of a struct or a union.
type Member struct {
	Name   string `json:"name,omitempty"` // empty: an unnamed struct or union whose members belong to the parent
	Type   Type   `json:"type"`
	Offset Num    `json:"offset"` // bytes from the start of the innermost enclosing aggregate
	Size   Num    `json:"size"`   // bytes; 0 for a flexible array
	Bits   *Bits  `json:"bits,omitempty"`
	Since  string `json:"since,omitempty"`
	Pos    string `json:"-"`
}

// Bits places a bit-field. Unnamed bit-fields are left out: they only move what follows.
type Bits struct {
	// Pos counts bits from the aggregate's first byte in the order in which the compiler fills them:
	// from the least significant bit of each byte on a little-endian machine, from the most significant on a big-endian one.
	Pos   Num `json:"pos"`
	Width int `json:"width"`
}

// An Enum is an enumeration. An untagged one has no name; its enumerators identify it.
type Enum struct {
	Name        string       `json:"name,omitempty"`
	Typedef     bool         `json:"typedef,omitempty"` // has no tag: C spells it Name, not enum Name
	Size        int64        `json:"size"`
	Signed      bool         `json:"signed,omitempty"`
	Enumerators []Enumerator `json:"enumerators"`
	Since       string       `json:"since,omitempty"`
	Pos         string       `json:"-"`
}

// An Enumerator is one name of an Enum.
type Enumerator struct {
	Name  string `json:"name"`
	Value Value  `json:"value"`
	Since string `json:"since,omitempty"`
	Pos   string `json:"-"`
}

// A Const is an object-like macro with an integer value.
type Const struct {
	Name  string `json:"name"`
	Value Value  `json:"value"`
	Type  Type   `json:"type"` // its C type; an enum's when it names an enumerator
	Since string `json:"since,omitempty"`
	Pos   string `json:"-"`
}

// An Alias is an object-like macro that names the tag of a struct, union or enum:
// ibv_flow_action_esp stands for ib_uverbs_flow_action_esp.
type Alias struct {
	Name  string `json:"name"`
	Tag   string `json:"tag"`
	Since string `json:"since,omitempty"`
	Pos   string `json:"-"`
}

// FuncKind says how a function reaches its caller.
type FuncKind string

// The kinds of functions.
const (
	Exported FuncKind = "exported" // declared here, defined in the shared object
	Inline   FuncKind = "inline"   // static inline in the header
	Macro    FuncKind = "macro"    // a function-like macro with no function of its name
)

// A Func is a function, static inline function or function-like macro.
type Func struct {
	Name     string   `json:"name"`
	Kind     FuncKind `json:"kind"`
	Hidden   bool     `json:"hidden,omitempty"`  // a function-like macro of the same name stands before it
	Version  string   `json:"version,omitempty"` // default public symbol version in the shared object: IBVERBS_1.1
	Result   Type     `json:"result,omitzero"`   // zero for a macro
	Params   []Param  `json:"params,omitempty"`
	Variadic bool     `json:"variadic,omitempty"`
	Since    string   `json:"since,omitempty"`
	Pos      string   `json:"-"`
}

// A Param is a parameter of a Func.
type Param struct {
	Name string `json:"name,omitempty"`
	Type Type   `json:"type,omitzero"` // zero for a macro's
}
