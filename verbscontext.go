package ibv

import "unsafe"

// VerbsContextOf returns the struct around a context that the library opened, or nil if there is none: today's libraries mark
// a context that is the last member of a VerbsContext by setting ABICompat to all ones.
//
// The library's struct begins where its own release says. If that is an older one than this package knows, the members at the
// front of the result are not the library's memory. So ask [VerbsContext.Has] before reading a member, and never copy the
// struct as a whole.
func VerbsContextOf(c *Context) *VerbsContext {
	if c == nil || c.ABICompat != ^uintptr(0) {
		return nil
	}
	return (*VerbsContext)(unsafe.Add(unsafe.Pointer(c), -int(unsafe.Offsetof(VerbsContext{}.Context))))
}

// Has reports whether the library's struct has the member at an offset, which unsafe.Offsetof tells:
//
//	if v.Has(unsafe.Offsetof(v.RegMREx)) && v.RegMREx != 0
//
// It compares the member's distance from the struct's end with the size that the library recorded in Sz. A function that the
// library has room for may still be nil, if the provider does not support it.
func (v *VerbsContext) Has(offset uintptr) bool {
	size := unsafe.Sizeof(*v)
	return offset < size && uint64(v.Sz) >= uint64(size-offset)
}
