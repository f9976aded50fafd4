package cverbs

import "syscall"

// The forms in which functions of verbs.h report failure. Each of these makes the error of a call, or nil if it succeeded. err
// is the second result of the same cgo call: errno, or nil if that is 0.

// maxErrno is the largest value that the kernel gives back as an errno value.
const maxErrno = 4095

// Stubs that have nothing to call fail with these in place of an errno value. They are no errno values, so no failure of the library
// or of a provider is taken for one of them.
const (
	noLibrary   = 0x1b5e0001 + iota // there is no library, or none that can be used
	noSymbol                        // the library has no such function
	noOperation                     // the object's provider, in this process, has none
)

// nullError is for functions that return NULL, or a value that may be negative, and set errno. It is called only for a failure, and is an
// error even without errno.
func nullError(v Verb, err error) error {
	errno, _ := err.(syscall.Errno)
	return failure(v, int64(errno))
}

// minus1Error is for functions that return 0, or -1 and set errno. Some providers return the errno value instead, of either sign.
func minus1Error(v Verb, r int, err error) error {
	if r == 0 {
		return nil
	}
	if err == nil && r != -1 {
		return failure(v, int64(r))
	}
	return nullError(v, err)
}

// errnoError is for functions that return the errno value. Some providers return it negated.
func errnoError(v Verb, r int) error {
	if r == 0 {
		return nil
	}
	return failure(v, int64(r))
}

// negativeError is for functions that return a count or value, or a negative number: an errno value if it is one. -1 is not:
// providers mean no more by it than failure, not EPERM. They do not set errno.
func negativeError(v Verb, r int) error {
	switch {
	case r >= 0:
		return nil
	case r == -1:
		return &Error{Verb: v.String(), Returned: -1}
	}
	return failure(v, int64(r))
}

// failure makes the error of a function that failed with n, either sign: an errno value, or 0 if there is none.
func failure(v Verb, n int64) error {
	e := &Error{Verb: v.String()}
	switch a := max(n, -n); {
	case a >= noLibrary && a <= noOperation:
		e.refused(v, a)
	case a >= 0 && a <= maxErrno:
		e.Errno = syscall.Errno(a)
	default:
		e.Returned = n
	}
	return e
}
