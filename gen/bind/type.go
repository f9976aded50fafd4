package bind

import "github.com/goverbs/ibv/gen/plan"

// A Class says how a value goes from Go to C and back.
type Class uint8

// The classes.
const (
	Void    Class = iota
	Number        // integers, floating point numbers, enums: converted
	Address       // void * and function pointers: uintptr in Go, uintptr_t in our C
	Object        // a pointer to a struct or union
	Slot          // a pointer to a pointer: uintptr_t * in our C, since cgo would look at what it points to
	Cell          // a pointer to a number
	Text          // const char *, as a result: string
)

// A Type is a parameter's or result's type.
type Type struct {
	Class  Class
	Go     plan.GoType // types of the header have their plain name
	C      string      // in our prototypes, so that a name can follow: "struct ibv_pd *", "uint32_t "
	Header string      // in the header, if a cast is needed to get there: "void *"
	Cgo    string      // what cgo calls the type, or what it points to: uint32_t, struct_ibv_pd
	Tag    string      // of Object: struct ibv_pd
	Local  bool        // Go's type is one of the header's
}
