//go:build linux && cgo

package cverbs

import (
	"testing"
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs/internal/testprovider"
)

// besideC runs the same calls in C, as often, and reports what they take there and what Go adds to each of them.
func besideC(b *testing.B, calls float64, inC func(n int) time.Duration, inGo func()) {
	b.Helper()
	n := 0
	for b.Loop() {
		inGo()
		n++
	}
	inC(n/10 + 1) // warms up
	c := float64(inC(n)) / float64(n)
	b.ReportMetric(c, "C-ns/op")
	b.ReportMetric((float64(b.Elapsed())/float64(n)-c)/calls, "added-ns/call")
}

// A control-path pair: two calls an iteration, through the registry.
func BenchmarkAllocPDDeallocPD(b *testing.B) {
	p, context := open(b, 0)
	b.ReportAllocs()
	besideC(b, 2, p.TimePD, func() {
		pd, err := AllocPD(context)
		if err != nil {
			b.Fatal(err)
		}
		if err := DeallocPD(pd); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkPollCQ(b *testing.B) {
	_, context := open(b, 0)
	_, cq, _ := queues(b, context, 16)
	wc := make([]ibv.WC, 16)
	b.ReportAllocs()
	besideC(b, 1, func(n int) time.Duration { return testprovider.TimePoll(unsafe.Pointer(cq), n) }, func() {
		if n, err := PollCQ(cq, 16, &wc[0]); n != 0 || err != nil {
			b.Fatal(n, err)
		}
	})
}

func BenchmarkReqNotifyCQ(b *testing.B) {
	_, context := open(b, 0)
	_, cq, _ := queues(b, context, 16)
	b.ReportAllocs()
	besideC(b, 1, func(n int) time.Duration { return testprovider.TimeNotify(unsafe.Pointer(cq), n) }, func() {
		if errno := ReqNotifyCQ(cq, 0); errno != 0 {
			b.Fatal(errno)
		}
	})
}
