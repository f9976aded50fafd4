//go:build linux && cgo

package verbs

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/goverbs/ibv"
)

// Who waits for the only CQ of a channel gets the completion before the event is taken, which the next one who arms the CQ does. With
// several CQs whose event it is has to be seen first.
func TestCompletionsComeBeforeTheEventIsTaken(t *testing.T) {
	for _, queues := range []int{1, 2} {
		d, c := testDevice(t)
		channel := closing(t, must(c.CreateCompChannel()))
		q := closing(t, must(c.CreateCQ(CQAttr{CQE: 16, Channel: channel})))
		if queues == 2 {
			closing(t, must(c.CreateCQ(CQAttr{CQE: 16, Channel: channel})))
		}
		wc := make([]ibv.WC, 4)
		for i := range 3 {
			got := make(chan []uint64)
			go func() {
				n, err := q.Wait(t.Context(), wc)
				if err != nil {
					t.Error(err)
				}
				got <- ids(wc[:n])
			}()
			parked(t, d, q, 1, i+1)
			if readable(t, channel) {
				t.Errorf("%d queues: somebody waits, and there is an event that nobody has taken", queues)
			}
			push(t, d, q, uint64(i))
			soon(t, "Wait", func() {
				if ids := <-got; !slices.Equal(ids, []uint64{uint64(i)}) {
					t.Errorf("%d queues: %v", queues, ids)
				}
			})
			if left := readable(t, channel); left != (queues == 1) {
				t.Errorf("%d queues: there is an event that was not taken: %v", queues, left)
			}
		}
	}
}

// readable reports whether a channel has an event that was not taken.
func readable(t testing.TB, c *CompChannel) bool {
	t.Helper()
	n, err := unix.Poll([]unix.PollFd{{Fd: c.raw.FD, Events: unix.POLLIN}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return n == 1
}
