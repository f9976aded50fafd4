//go:build linux && cgo

package verbs

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/beside"
)

// From a thread in C that posts to a goroutine in Wait, beside a file of Go's on an eventfd that such a thread writes to, and beside C
// that sleeps in poll(2) on one.
func BenchmarkWakeUp(b *testing.B) {
	_, c := testDevice(b)
	p := newPair(b, nil, c, QPAttr{SendCQ: testCQ(b, c, 256, true)}, ConnectAttr{})
	r := must(NewSendRequests(1, 1, 0))
	must(0, r.Set(0, p.writeTo(1, 64, 0)))
	poster := must(beside.NewPoster(p.a.raw, r.At(0)))
	defer poster.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	wc := make([]ibv.WC, 1)
	fd := eventFD(b, syscall.O_NONBLOCK)
	file := os.NewFile(uintptr(fd), "eventfd")
	defer file.Close()
	toFile := must(beside.NewWaker(fd))
	defer toFile.Close()
	var buffer [8]byte
	blocking := eventFD(b, 0)
	defer syscall.Close(blocking)
	toC := must(beside.NewWaker(blocking))
	defer toC.Close()
	b.ReportAllocs()
	beside.CompareWakes(b, func(took []time.Duration) {
		if !toC.Sleeps(blocking, took) {
			b.Fatal("C could not sleep")
		}
	}, func(took []time.Duration) {
		for i := range took {
			if n, err := p.a.sendCQ.Wait(ctx, wc); n != 1 || err != nil || wc[0].Status != ibv.IBV_WC_SUCCESS {
				b.Fatal(n, err, wc[0].Status)
			}
			took[i] = poster.Woken()
		}
	}, func(took []time.Duration) {
		for i := range took {
			if _, err := file.Read(buffer[:]); err != nil {
				b.Fatal(err)
			}
			took[i] = toFile.Woken()
		}
	})
}

func eventFD(b *testing.B, flags int) int {
	fd, _, errno := syscall.Syscall(syscall.SYS_EVENTFD2, 0, uintptr(flags|syscall.O_CLOEXEC), 0)
	if errno != 0 {
		b.Fatal(errno)
	}
	return int(fd)
}
