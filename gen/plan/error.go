package plan

import "fmt"

// An Error says what cannot be expressed in Go, and where it stands.
type Error struct {
	Pos  string // file:line, or the header if the model came from a record
	Item string // C name: struct ibv_wc
	Msg  string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s: %s", e.Pos, e.Item, e.Msg) }

func (p *planner) errorf(pos, item, format string, args ...any) error {
	return &Error{p.where(pos), clean(item), clean(fmt.Sprintf(format, args...))}
}

// where is pos, or the header for an item that came from a record.
func (p *planner) where(pos string) string {
	if pos != "" {
		return clean(pos)
	}
	if p.m.Release != "" {
		return clean(p.m.Header + " of " + p.m.Release)
	}
	return clean(p.m.Header)
}
