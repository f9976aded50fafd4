//go:build linux && cgo

package cverbs

// #include "loader.h"
import "C"

import (
	"errors"
	"syscall"
)

// Go's names have C's values, or this does not compile.
var (
	_ = [1]struct{}{}[noLibrary-C.IBVGO_NO_LIBRARY]
	_ = [1]struct{}{}[noSymbol-C.IBVGO_NO_SYMBOL]
	_ = [1]struct{}{}[noOperation-C.IBVGO_NO_OPERATION]
)

// refused says what a stub had to call and did not find.
func (e *Error) refused(v Verb, why int64) {
	switch why {
	case noOperation:
		e.Errno = syscall.EOPNOTSUPP
		e.Gap = true
		return
	case noSymbol:
		e.Errno = syscall.ENOSYS
		e.Library, _ = Loaded()
	default:
		e.Errno = syscall.ELIBACC
		e.Err = Load()
		switch {
		case e.Err == nil:
			e.Err = ErrNoLibrary // somebody has just chosen another
		case errors.Is(e.Err, ErrNotSupported):
			e.Errno = syscall.EOPNOTSUPP
		}
	}
	info := v.info()
	e.Symbol, e.Version, e.Release = info.symbol, info.version, info.since
}

// info returns v's entry, an empty one if there is none.
func (v Verb) info() verb {
	if v < 0 || int(v) >= len(verbTable) {
		return verb{name: v.String()}
	}
	return verbTable[v]
}
