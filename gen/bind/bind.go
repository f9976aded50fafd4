// Package bind decides how Go calls each function of a C header, and prints the C and Go files that do it. A plan is plain data,
// made from the ABI records of all releases, from the Go names of the types and from the overlay; Emit prints it.
//
// The C code that comes out includes the header in two files only, which call what the header has as code: static inlines and
// macros. Everything else is written from the records, so that neither the release that is built with nor the one that runs
// decides what can be called.
package bind

import "github.com/goverbs/ibv/gen/model"

// A Package is the plan of all files.
type Package struct {
	Name   string // of the Go package
	Import string // path of the package with the types
	Header string // as included: infiniband/verbs.h
	Source string // what it was made from: ABI records of rdma-core 33.2 to 65.0
	Oldest string // the oldest release among them
	Verbs  []Verb // sorted by C name; the index is that of all tables

	// Asserts are the C assertions about the header's layout, as the oldest record has it, by architecture.
	Asserts map[string][]string
	// Fronts are those about structs that grow at their front.
	Fronts []Front
}

// A Front is the distance of a member from the end of a struct that grows at its front.
type Front struct {
	Type, Member string // struct verbs_context, sz
	Distance     model.Num
}

// A Verb is one function, static inline function or function-like macro.
type Verb struct {
	Index    int
	C        string
	Go       string // name of the Go call; empty if there is none
	Reason   string // why there is none, or empty: a sentence
	Kind     model.FuncKind
	Hidden   bool // a macro of the same name stands before it
	Form     Form
	Guessed  bool // the overlay does not tell how it reports failure
	Hot      bool // poll, post, notify: neither calls back nor keeps its arguments
	Value    bool // of Minus1: the result is a value or a code
	OrMinus1 bool // of Errno: some providers answer -1 instead, with errno set
	Most     int  // of Negative: index of the parameter that the result cannot be above; -1: none
	Since    string
	Doc      string

	Symbol, Version string // the library's function that it is or calls; empty if it needs none

	Result Type
	Params []Param // what Go passes
	How    How     // what the thunk does
	Thunk  string  // the C function that Go calls; empty if there is none

	Stub   *Stub   // of an exported function
	Member *Member // of ThroughObject and ThroughContext
	Sized  *Sized  // of ThroughSized
}

// A Form is how a function reports failure.
type Form string

// The forms, as the overlay spells them.
const (
	Null     Form = "null"
	Errno    Form = "errno"
	Minus1   Form = "minus1"
	Negative Form = "negative"
	None     Form = "none"
)

// How a function is called.
type How uint8

// The ways.
const (
	NoCall         How = iota
	ThroughStub        // an exported function: the stub is what Go calls
	ThroughHeader      // the header's inline or macro
	ThroughSized       // an inline that passes a sizeof to an exported function: that one's stub, with our size
	ThroughObject      // an inline newer than the oldest record, which calls a function that the object holds
	ThroughContext     // the same, of the extended context, if that is long enough
)

// A Stub is the C function that stands for an exported one. Its parameters are those of the exported function, which a macro may
// hide from Go.
type Stub struct {
	Name   string
	Result Type
	Params []Param
	Owner  Owner
}

// An Owner tells how to find the context or other object that a provider in the process registers.
type Owner struct {
	Param  int       // index of the parameter; -1: no object takes part
	Offset model.Num // of the pointer to the context in what the parameter points to
	Self   bool      // the object is what is registered
	Func   string    // a function written by hand that finds it; empty: not needed
}

// A Member is a function pointer in a struct.
type Member struct {
	Name   string
	Offset model.Num // of ThroughObject: from the object's start; of ThroughContext: from the extended context's end
	Object Owner     // of ThroughContext: how to find the context
	// Of ThroughContext, from the context, which is the extended one's last member: the member that says whether there is an
	// extended one (then all ones), and the extended one's size member, which is before it.
	// Own is the size of a context.
	Extended, Size, Own model.Num
}

// A Sized is an exported function whose last parameter is the size of what an earlier one points to.
type Sized struct {
	Stub string
	Size model.Num
}

// A Param is one parameter.
type Param struct {
	C, Go string // names
	Type  Type
	Grow  *Grow // of ThroughHeader: it points to a struct that may have another size in the header
}

// A Grow is a struct whose size depends on the release.
type Grow struct {
	Type string    // struct ibv_port_attr
	Size model.Num // Go's
	In   bool      // it is only read
}
