//go:build !linux || !cgo

package cverbs

import "fmt"

// ErrNotHere is what every call fails with in a program in which no verb works: ErrNotSupported, and why that is.
var ErrNotHere = fmt.Errorf("%w: %s", ErrNotSupported, notHere)

// unsupported is the error of every verb where none works.
func unsupported(v Verb) error {
	return &Error{Verb: v.String(), Err: ErrNotHere}
}
