package cverbs

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// ErrNotSupported is what errors.Is finds in the error of a call that the device, its provider, the library or this platform
// does not have. errors.ErrUnsupported is found as well.
var ErrNotSupported = fmt.Errorf("verb not supported: %w", errors.ErrUnsupported)

// An Error says that a verb has failed. errors.Is finds its errno value.
type Error struct {
	// The function's C name: ibv_alloc_pd.
	Verb string
	// The errno value, always positive; 0 if the function failed without one.
	Errno syscall.Errno
	// What the function returned, if that was meant to be an errno value and is none; else 0.
	Returned int64
	// The symbol that the verb needs of the library, the version of the symbol and the oldest recorded release that has it, if the
	// failure was that it is not there; else empty.
	Symbol, Version, Release string
	// The path of the library that lacks Symbol; empty if there is no library.
	Library string
	// Whether the failure was that the provider in this process that has the object does not have the function.
	Gap bool
	// Why there is no library, a *LibraryError; or ErrNotSupported if the verb cannot work on this platform; else nil.
	Err error
}

// Error names the verb, then what went wrong, and what to install if something is missing.
func (e *Error) Error() string {
	switch {
	case e.Err != nil && e.Symbol != "":
		return fmt.Sprintf("%s: needs %s of rdma-core %s or newer: %v", e.Verb, e.symbol(), e.Release, e.Err)
	case e.Err != nil:
		return fmt.Sprintf("%s: %v", e.Verb, e.Err)
	case e.Symbol != "":
		return fmt.Sprintf("%s: %s has no %s, which came with rdma-core %s: install that release or a newer one of libibverbs1 and ibverbs-providers",
			e.Verb, e.Library, e.symbol(), e.Release)
	case e.Gap:
		return fmt.Sprintf("%s: %v: the provider in this process has no %s", e.Verb, e.Errno, e.Verb)
	case e.Errno != 0:
		return e.Verb + ": " + e.Errno.Error()
	case e.Returned != 0:
		return fmt.Sprintf("%s: failed and returned %d, which is no errno value", e.Verb, e.Returned)
	}
	return e.Verb + ": failed without an errno value"
}

func (e *Error) symbol() string { return strings.TrimSuffix(e.Symbol+"@"+e.Version, "@") }

// Unwrap returns the errno value, if there is one, and Err.
func (e *Error) Unwrap() []error {
	var r []error
	if e.Errno != 0 {
		r = append(r, e.Errno)
	}
	if e.Err != nil {
		r = append(r, e.Err)
	}
	return r
}

// Is reports that an error is ErrNotSupported if its errno value says so.
func (e *Error) Is(target error) bool {
	return target == ErrNotSupported && e.Errno != 0 && e.Errno.Is(errors.ErrUnsupported)
}
