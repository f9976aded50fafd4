//go:build linux && cgo

package kerneltest

import (
	"errors"
	"testing"

	"github.com/goverbs/ibv/verbs"
)

// soft-RoCE has no work queues; hardware that has some is shown with one.
func TestWQ(t *testing.T) {
	c := open(t)
	pd, cq := closing(t, must(c.AllocPD())), closing(t, must(c.CreateCQ(verbs.CQAttr{CQE: 16})))
	wq, err := c.CreateWQ(verbs.WQAttr{MaxWR: 16, MaxSGE: 1, PD: pd, CQ: cq})
	switch {
	case err == nil && which() == rxe:
		t.Errorf("%v on a device that has none", wq)
		fallthrough
	case err == nil:
		closing(t, wq)
	case !errors.Is(err, verbs.ErrNotSupported):
		t.Errorf("got %v, want ErrNotSupported", err)
	}
}
