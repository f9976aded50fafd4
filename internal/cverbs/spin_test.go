//go:build linux && cgo

package cverbs

import (
	"syscall"
	"testing"
	"time"

	"github.com/goverbs/ibv"
)

func TestSpin(t *testing.T) {
	p, context := open(t, 0)
	_, cq, wq := queues(t, context, 4)
	wc := make([]ibv.WC, 4)
	start := time.Now()
	if n, err := SpinCQ(cq, 4, &wc[0], 200_000); n != 0 || err != nil || time.Since(start) < 200*time.Microsecond {
		t.Errorf("%d, %v after %v", n, err, time.Since(start))
	}
	var bad *ibv.RecvWR
	if errno := PostWQRecv(wq, &ibv.RecvWR{WRID: 5}, &bad); errno != 0 {
		t.Fatal(errno)
	}
	// It returns at once if there is something: a minute would be too long.
	if n, err := SpinCQ(cq, 4, &wc[0], uint64(time.Hour)); n != 1 || err != nil || wc[0].WRID != 5 {
		t.Errorf("%d, %v", n, err)
	}
	for value, want := range map[int]syscall.Errno{-22: 22, -1: 0, -5000: 0, 95: 95, 17: 17} {
		p.Fail(1, value, syscall.EPERM)
		n, err := SpinCQ(cq, 4, &wc[0], uint64(time.Hour))
		if n != 0 {
			t.Errorf("%d completions beside %v", n, err)
		}
		wantFailure(t, err, VerbPollCQ, want)
	}
	if n := testing.AllocsPerRun(100, func() { SpinCQ(cq, 4, &wc[0], 1000) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A provider that does not have the verbs fails with the errno value that the others' errors have.
func TestTake(t *testing.T) {
	_, context := open(t, 0)
	var event ibv.AsyncEvent
	if errno := TakeAsyncEvent(context, &event); errno != syscall.EOPNOTSUPP {
		t.Error(errno)
	}
	var cq *ibv.CQ
	var cookie uintptr
	if errno := TakeCQEvent(&ibv.CompChannel{Context: context}, &cq, &cookie); errno != syscall.EOPNOTSUPP {
		t.Error(errno)
	}
	if errno := taken(-1, nil); errno != syscall.EIO {
		t.Errorf("failing without errno is %v", errno)
	}
	if errno := taken(0, syscall.EAGAIN); errno != 0 {
		t.Errorf("success with errno set is %v", errno)
	}
}
