package verbs

import (
	"errors"
	"os"
	"strings"
	"syscall"

	"github.com/goverbs/ibv/internal/cverbs"
)

// Errors that errors.Is finds, besides errno values. None of them comes alone: see [Error].
var (
	// The device, its provider, the library or this platform does not have the verb. errors.ErrUnsupported is found as well.
	ErrNotSupported = cverbs.ErrNotSupported
	// There is no libibverbs in this process.
	ErrNoLibrary = cverbs.ErrNoLibrary
	// The object has been closed, or is nil. os.ErrClosed is found as well.
	ErrClosed error = &sentinel{"object is closed", os.ErrClosed}
	// There is no room in the queue for the request. ENOMEM is found as well.
	ErrQueueFull error = &sentinel{"queue is full", syscall.ENOMEM}
	// The completion queue had no room for a completion, which is lost. The queue stays unusable: see [CQ.Poll].
	ErrCQOverrun error = &sentinel{"completion queue has overrun: completions are lost", nil}
)

// A sentinel is an error that counts as another one as well.
type sentinel struct {
	text string
	also error
}

func (s *sentinel) Error() string        { return s.text }
func (s *sentinel) Is(target error) bool { return s.also != nil && target == s.also }

// An Error says which verb has failed, on which object, and why. errors.Is finds the errno value in it, and the errors above.
type Error struct {
	// The C name of the verb that failed, or that would have been called next: ibv_create_wq.
	Verb string
	// The object it was called on, or the one that stood in the way: "mlx5_0", "cq 3 on mlx5_0".
	Object string
	// The errno value, always positive; 0 if there is none.
	Errno syscall.Errno
	// What is likely to be wrong, or what to do about it; may be empty.
	Hint string
	// What went wrong, never nil; the errno value if no more is known.
	Err error
}

// Error is "create_wq on mlx5_0: cause: hint", with the verb as its manual page has it, but for the ibv_ in front.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(strings.TrimPrefix(e.Verb, "ibv_"))
	if e.Object != "" {
		b.WriteString(" on " + e.Object)
	}
	b.WriteString(": " + e.cause())
	if e.Hint != "" {
		b.WriteString(": " + e.Hint)
	}
	return b.String()
}

// cause leaves out the verb, which the errors of calls name first.
func (e *Error) cause() string {
	if e.Err == nil {
		return "failed"
	}
	return strings.TrimPrefix(e.Err.Error(), e.Verb+": ")
}

// Unwrap returns the errno value, if there is one, and what went wrong.
func (e *Error) Unwrap() []error {
	var r []error
	if e.Err != nil {
		r = append(r, e.Err)
	}
	if e.Errno != 0 && error(e.Errno) != e.Err {
		r = append(r, e.Errno)
	}
	return r
}

// failed makes the error of a verb that has failed on an object with err; nil if err is nil.
func failed(v cverbs.Verb, object string, err error) error {
	if errno, plain := err.(syscall.Errno); plain {
		err = v.Failed(errno) // which knows what is not supported
	}
	if err == nil {
		return nil
	}
	return &Error{Verb: v.String(), Object: object, Errno: errnoOf(err), Err: err}
}

// refused makes the error of a call that never got to its verb, since that would have failed with errno, or worse.
func refused(v cverbs.Verb, object string, errno syscall.Errno, hint string) error {
	return &Error{Verb: v.String(), Object: object, Errno: errno, Err: errno, Hint: hint}
}

// hinted adds a hint to an error of this package that has none.
func hinted(err error, hint string) error {
	var e *Error
	if hint != "" && errors.As(err, &e) && e.Hint == "" {
		e.Hint = hint
	}
	return err
}

// creating makes an error that making memory for requests has given one of the verb, and the object, that the memory was made for.
func creating(err error, v cverbs.Verb, object string) error {
	var e *Error
	if errors.As(err, &e) {
		e.Verb, e.Object = v.String(), object
	}
	return err
}

// errnoOf returns the errno value in an error, 0 if there is none.
func errnoOf(err error) syscall.Errno {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return 0
}
