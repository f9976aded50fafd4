package verbstest

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/goverbs/ibv/verbs"
)

// A target is an object that something is done to from outside.
type target struct {
	name string
	open bool
	ctx  *verbs.Context
}

func ofCQ(q *verbs.CQ) target { return target{q.String(), q.Raw() != nil, q.Context()} }
func ofQP(q *verbs.QP) target { return target{q.String(), q.Raw() != nil, q.PD().Context()} }
func ofWQ(q *verbs.WQ) target { return target{q.String(), q.Raw() != nil, q.PD().Context()} }

// failed makes the error of what was to be done, such as "raise IBV_EVENT_CQ_ERR on"; nil if err is nil. otherwise is the reason for EINVAL if
// the object is one that the device has.
func (d *Device) failed(err error, what string, t target, otherwise string) error {
	if err == nil {
		return nil
	}
	reason := ""
	if errors.Is(err, syscall.EINVAL) {
		switch {
		case !t.open:
			reason = ": it is nil or closed"
		case t.ctx.Device() != d.Device():
			reason = fmt.Sprintf(": it is not of this device, %v", d.Device().Name())
		case otherwise != "":
			reason = ": " + otherwise
		}
	}
	return fmt.Errorf("verbstest: %s %s: %w%s", what, t.name, err, reason)
}

// prefixed names the package that an error comes from; nil if err is nil.
func prefixed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("verbstest: %w", err)
}
