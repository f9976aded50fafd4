//go:build linux && cgo

package verbs

import (
	"context"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/beside"
)

// From a thread in C that posts to a goroutine in Wait, beside a file of Go's on an eventfd that such a thread writes to, and beside C
// that sleeps in poll(2) on one.
func BenchmarkWakeUp(b *testing.B) {
	const round = 200
	_, c := testDevice(b)
	p := newPair(b, nil, c, QPAttr{SendCQ: testCQ(b, c, 256, true)}, ConnectAttr{})
	r := must(NewSendRequests(1, 1, 0))
	must(0, r.Set(0, p.writeTo(1, 64, 0)))
	poster := must(beside.NewPoster(p.a.raw, r.At(0)))
	defer poster.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	wc := make([]ibv.WC, 1)
	through := func() (took time.Duration) {
		for range round {
			if n, err := p.a.sendCQ.Wait(ctx, wc); n != 1 || err != nil || wc[0].Status != ibv.IBV_WC_SUCCESS {
				b.Fatal(n, err, wc[0].Status)
			}
			took += poster.Woken()
		}
		return took
	}
	fd := eventFD(b, syscall.O_NONBLOCK)
	file := os.NewFile(uintptr(fd), "eventfd")
	defer file.Close()
	toFile := must(beside.NewWaker(fd))
	defer toFile.Close()
	var buffer [8]byte
	bare := func() (took time.Duration) {
		for range round {
			if _, err := file.Read(buffer[:]); err != nil {
				b.Fatal(err)
			}
			took += toFile.Woken()
		}
		return took
	}
	blocking := eventFD(b, 0)
	toC := must(beside.NewWaker(blocking))
	defer toC.Close()
	var waits, bares, inC []float64
	b.ReportAllocs()
	b.ResetTimer()
	for done := 0; done < b.N || len(inC) < 5; done += round {
		waits = append(waits, float64(through())/round)
		bares = append(bares, float64(bare())/round)
		inC = append(inC, float64(toC.Sleeps(blocking, round))/round)
	}
	for _, x := range [][]float64{waits, bares, inC} {
		slices.Sort(x)
	}
	mid := len(inC) / 2
	b.ReportMetric(waits[mid], "ns/op")
	b.ReportMetric(bares[mid], "eventfd-ns/op")
	b.ReportMetric(inC[mid], "C-ns/op")
	b.ReportMetric(waits[mid]/inC[mid], "Go/C")
	b.ReportMetric(waits[mid]/bares[mid], "Go/eventfd")
}

func eventFD(b *testing.B, flags int) int {
	fd, _, errno := syscall.Syscall(syscall.SYS_EVENTFD2, 0, uintptr(flags|syscall.O_CLOEXEC), 0)
	if errno != 0 {
		b.Fatal(errno)
	}
	return int(fd)
}
