package load

import (
	"fmt"
	"strings"
)

// An Error says in one line why a header, or one item of it, was refused.
type Error struct {
	Pos  string // file:line, or the file alone; empty if no place in a file is to blame
	Item string // the construct: "struct ibv_wc", "member x of struct y"; may be empty
	Msg  string // what is wrong with it
	Err  error  // what it wraps; may be nil
}

func (e *Error) Error() string {
	s := e.Msg
	if e.Item != "" {
		s = e.Item + ": " + s
	}
	if e.Pos != "" {
		s = e.Pos + ": " + s
	}
	return s
}

// Unwrap returns the wrapped error.
func (e *Error) Unwrap() error { return e.Err }

// refusef makes the Error for item at pos.
func refusef(pos, item, format string, args ...any) *Error {
	return &Error{Pos: pos, Item: oneLine(item), Msg: oneLine(fmt.Sprintf(format, args...))}
}

// oneLine keeps a message on one line, and short, whatever a header put into it.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if len(s) > 400 {
		s = strings.ToValidUTF8(s[:400], "") + "..."
	}
	return s
}
