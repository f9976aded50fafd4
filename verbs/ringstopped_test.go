//go:build linux && cgo

package verbs

import (
	"errors"
	"os"
	"os/exec"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/beside"
	"github.com/goverbs/ibv/internal/softdev"
)

// pipe is one whose ends block, unlike os.Pipe's.
func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	var fds [2]int
	ok(t, syscall.Pipe2(fds[:], syscall.O_CLOEXEC))
	return os.NewFile(uintptr(fds[0]), "pipe"), os.NewFile(uintptr(fds[1]), "pipe")
}

// standStill stops all of Go: it dumps the heap into a pipe of which a process takes the first byte, when everything stands, and writes it to begin, and
// the others once there is a line to be read from over. So nothing here depends on how long anything takes.
func standStill(t *testing.T, begin, over *os.File) {
	t.Helper()
	r, w := pipe(t)
	reader := exec.Command("sh", "-c", "head -c 1 >&4; exec 4>&-; read line <&3; cat >/dev/null")
	reader.Stdin, reader.ExtraFiles = r, []*os.File{over, begin}
	ok(t, reader.Start())
	for _, f := range reader.ExtraFiles {
		ok(t, f.Close())
	}
	r.Close()
	debug.WriteHeapDump(w.Fd())
	ok(t, w.Close())
	ok(t, reader.Wait())
}

const (
	stoppedCQE   = 256
	stoppedChain = 16
	stoppedPosts = 64 // so that they are 1024 completions in 1.3 s
	stoppedTotal = stoppedChain * stoppedPosts
)

// burstWhileStopped has a QP that completes into q write 1024 times while Go stands still, at a pace that anybody who looks every 300 ms can follow, which a thread of a
// busy machine does. A write's WRID is its number in its chain.
func burstWhileStopped(t *testing.T, d *softdev.Device, c *Context, q *CQ) {
	t.Helper()
	p := newPair(t, d, c, QPAttr{SendCQ: q, MaxSendWR: stoppedTotal}, ConnectAttr{})
	r := must(NewSendRequests(stoppedChain, 1, 0))
	for i := range stoppedChain {
		must(0, r.Set(i, SendWR{WRID: uint64(i), Opcode: ibv.IBV_WR_RDMA_WRITE, SGList: sge(p.mra, 0, 8), RemoteAddr: p.mrb.Addr(), RKey: p.mrb.RKey(), Flags: ibv.IBV_SEND_SIGNALED}))
	}
	var ticks atomic.Int64
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			select {
			case <-ticker.C:
				ticks.Add(1)
			case <-stop:
				return
			}
		}
	}()
	begins, begin := pipe(t)
	over, ended := pipe(t)
	b := must(beside.StartBurst(p.a.raw, (*ibv.SendWR)(unsafe.Pointer(r.At(0))), stoppedPosts, 20*time.Millisecond, int(begins.Fd()), int(ended.Fd())))
	before := ticks.Load()
	standStill(t, begin, over)
	after := ticks.Load()
	if n := b.End(); n != 0 {
		t.Errorf("%d posts have failed", n)
	}
	ok(t, errors.Join(begins.Close(), ended.Close()))
	if after-before > 600 {
		t.Errorf("Go has not stood still: %d ticks", after-before)
	}
}

// polling takes all completions of the burst, or until an error, and sends how many there were, in order.
func polling(next func() ([]ibv.WC, error)) <-chan error {
	result := make(chan error, 1)
	go func() {
		for n := 0; n < stoppedTotal; {
			wc, err := next()
			for i := range wc {
				if wc[i].Err() != nil || wc[i].WRID != uint64(n%stoppedChain) {
					err = errors.New("completions are out of order")
				}
				n++
			}
			if err != nil {
				result <- err
				return
			}
		}
		result <- nil
	}()
	return result
}

// Why there are rings: a burst that overruns a CQ while Go stands still, as for its collector, though a goroutine polls it without pause, does not if the CQ is a
// ring's.
func TestRingOutlastsAStop(t *testing.T) {
	t.Run("poll", func(t *testing.T) {
		d, c := testDeviceWith(t, softdev.Config{Exact: true}, OpenAttr{})
		q := testCQ(t, c, stoppedCQE, false)
		buffer := make([]ibv.WC, 64)
		result := polling(func() ([]ibv.WC, error) {
			n, err := q.Poll(buffer)
			return buffer[:n], err
		})
		burstWhileStopped(t, d, c, q)
		if err := <-result; !errors.Is(err, ErrCQOverrun) {
			t.Errorf("%v, want ErrCQOverrun", err)
		}
	})
	t.Run("ring", func(t *testing.T) {
		d, c := testDeviceWith(t, softdev.Config{Exact: true}, OpenAttr{})
		r, cqs := testRing(t, c, RingAttr{Entries: 2 * stoppedTotal}, stoppedCQE)
		result := polling(r.Next)
		burstWhileStopped(t, d, c, cqs[0])
		if err := <-result; err != nil {
			t.Error(err)
		}
		if s := r.Stats(); s.Taken != stoppedTotal || s.Stalls != 0 {
			t.Errorf("%+v", s)
		}
	})
}
