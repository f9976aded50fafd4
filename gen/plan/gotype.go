package plan

import "fmt"

// A GoType is a Go type: a name, a pointer or an array.
type GoType struct {
	Name string  // of a declared or predeclared type; empty for pointers and arrays
	Elem *GoType // of a pointer or array
	Len  int64   // of an array; -1 for a pointer
}

func named(name string) GoType { return GoType{Name: name} }

func pointerTo(t GoType) GoType { return GoType{Elem: &t, Len: -1} }

func arrayOf(n int64, t GoType) GoType { return GoType{Elem: &t, Len: n} }

func bytesOf(n int64) GoType { return arrayOf(n, named("byte")) }

// Pointer reports whether t is a pointer.
func (t GoType) Pointer() bool { return t.Elem != nil && t.Len < 0 }

// Array reports whether t is an array.
func (t GoType) Array() bool { return t.Elem != nil && t.Len >= 0 }

// String is t's Go source.
func (t GoType) String() string {
	switch {
	case t.Pointer():
		return "*" + t.Elem.String()
	case t.Array():
		return fmt.Sprintf("[%d]%s", t.Len, t.Elem)
	}
	return t.Name
}

// asAddress is t with pointers as plain addresses, for memory that Go's collector does not scan: a union's storage, or
// bytes. What lies there must not look like a Go pointer.
func asAddress(t GoType) GoType {
	switch {
	case t.Pointer():
		return named(address)
	case t.Array():
		return arrayOf(t.Len, asAddress(*t.Elem))
	}
	return t
}
