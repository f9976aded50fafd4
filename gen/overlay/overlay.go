// Package overlay holds what a C header cannot say about itself: a sentence of documentation for each item, the enum whose
// values an integer member holds, which enums are sets of bits, Go names of enums without a tag, the structs that grow at
// their front, and how a function reports failure. One embedded JSON file, written by hand in this project's own words, says
// it for infiniband/verbs.h.
package overlay

// An Overlay is what one file says about one header. The zero Overlay says nothing.
type Overlay struct {
	Header  string            `json:"header"`            // the header, as included: infiniband/verbs.h
	Front   []string          `json:"front,omitempty"`   // tags of structs that grow at their front
	Structs map[string]Struct `json:"structs,omitempty"` // structs and unions by C tag
	Enums   map[string]Enum   `json:"enums,omitempty"`   // by C tag, or by the first enumerator's name if there is none
	Consts  map[string]string `json:"consts,omitempty"`  // macro constants: whole sentences each

	// Functions are keyed by C name: functions, static inline functions and function-like macros.
	Functions map[string]Function `json:"functions,omitempty"`

	// inherited says that the entries were written for another header, which this one may include: an entry that
	// matches nothing is then no mistake.
	inherited bool
}

// A Struct says something about a struct or union.
type Struct struct {
	Go  string `json:"go,omitempty"`  // Go name, where the usual rule gives a poor one
	Doc string `json:"doc,omitempty"` // whole sentences: "One completion, ..."

	// Grows says whether C code may be given a larger one than it knows: by default if it has a comp_mask or has grown.
	Grows *bool `json:"grows,omitempty"`

	// Members are keyed by C name. A member of a named member's unnamed body has the path to it, "wr.rdma.rkey";
	// one of an unnamed struct or union just its name.
	Members map[string]Member `json:"members,omitempty"`
}

// A Member says something about one member of a struct or union.
type Member struct {
	Doc  string `json:"doc,omitempty"`  // whole sentences
	Type string `json:"type,omitempty"` // key in Enums or tag of the enum whose values the member holds
	Raw  bool   `json:"raw,omitempty"`  // its accessors are named RawX and SetRawX, since a checked method has the plain name
}

// An Enum says something about an enum.
type Enum struct {
	Go     string           `json:"go,omitempty"`    // Go name, for an enum without a tag
	Doc    string           `json:"doc,omitempty"`   // whole sentences
	Flags  *bool            `json:"flags,omitempty"` // whether values are sets of bits
	Values map[string]Value `json:"values,omitempty"`
}

// A Value says something about one enumerator.
type Value struct {
	Doc      string `json:"doc,omitempty"`      // whole sentences
	Sentinel string `json:"sentinel,omitempty"` // why nobody should use it: it is then marked Deprecated with this reason
}

// A Function says something about a function.
type Function struct {
	Fails    string `json:"fails,omitempty"`     // how it reports failure: one of the words below
	Value    bool   `json:"value,omitempty"`     // of minus1: what it returns is a value, or an error's code, not just 0 or -1
	Most     string `json:"most,omitempty"`      // of negative: the C parameter that the count it returns cannot be above
	OrMinus1 bool   `json:"or_minus1,omitempty"` // of errno: some providers answer -1 instead, and errno has the reason
	Hot      bool   `json:"hot,omitempty"`       // poll, post, notify: it neither calls back nor keeps its arguments
	Skip     string `json:"skip,omitempty"`      // why there is no binding: a whole sentence; nothing else is then said
	Doc      string `json:"doc,omitempty"`       // whole sentences: what it does, units, who owns what
}

// The words for how a function reports failure.
const (
	FailsNull     = "null"     // NULL, and errno has the reason
	FailsErrno    = "errno"    // any value but 0 is the errno value itself, of either sign
	FailsMinus1   = "minus1"   // -1, and errno has the reason; without value, anything but 0
	FailsNegative = "negative" // a negative value; errno is not set, and the value may be an errno value
	FailsNone     = "none"     // never: no result, or a plain value
)
