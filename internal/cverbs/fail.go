package cverbs

import "syscall"

// The forms in which functions of verbs.h report failure. Each of these makes the error of a call, or nil if it succeeded. err
// is the second result of the same cgo call: errno, or nil if that is 0.

// maxErrno is the largest value that the kernel gives back as an errno value.
const maxErrno = 4095

// nullError is for functions that return NULL, or a negative number, and set errno. It is called only if that was returned: it is an
// error even without errno.
func nullError(v Verb, err error) error {
	errno, _ := err.(syscall.Errno)
	return failure(v, int64(errno))
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
	case a >= 0 && a <= maxErrno:
		e.Errno = syscall.Errno(a)
	default:
		e.Returned = n
	}
	e.explain(v)
	return e
}

// wanted notes what v needs of the library.
func (e *Error) wanted(v Verb) {
	info := v.info()
	e.Symbol, e.Version, e.Release = info.symbol, info.version, info.since
}

// unsupported is the error of every verb where none works.
func unsupported(v Verb) error {
	return &Error{Verb: v.String(), Err: ErrNotSupported}
}
