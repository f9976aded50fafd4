//go:build linux && cgo

package verbs

import (
	"fmt"
	"testing"
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/beside"
)

// What Poll adds to a loop in C that polls the same queue and reads each completion. The completions are made up, so that they never
// run out.
func BenchmarkPoll(b *testing.B) {
	for _, n := range []int{0, 1, 16, 64} {
		b.Run(fmt.Sprintf("completions=%d", n), func(b *testing.B) {
			_, c := testDevice(b)
			q := testCQ(b, c, 64, false)
			beside.Synthetic(q.raw, n)
			defer beside.Genuine(q.raw)
			b.ReportAllocs()
			benchmarkPoll(b, q, max(n, 1), q.Poll)
		})
	}
}

// The same for a queue that several queues complete into, so that Poll has to look whose completions there are.
func BenchmarkPollShared(b *testing.B) {
	for _, n := range []int{0, 1, 16, 64} {
		b.Run(fmt.Sprintf("completions=%d", n), func(b *testing.B) {
			_, c := testDevice(b)
			q := testCQ(b, c, 64, false)
			newPair(b, nil, c, QPAttr{SendCQ: q, RecvCQ: q}, ConnectAttr{})
			beside.Synthetic(q.raw, n)
			defer beside.Genuine(q.raw)
			b.ReportAllocs()
			benchmarkPoll(b, q, max(n, 1), q.Poll)
		})
	}
}

func benchmarkPoll(b *testing.B, q *CQ, entries int, poll func([]ibv.WC) (int, error)) {
	wc := make([]ibv.WC, entries)
	total := uint64(0)
	beside.Compare(b, beside.Polls(q.raw, entries), func(n int) time.Duration {
		sum := uint64(0) // in a register, as in C
		start := time.Now()
		for range n {
			got, err := poll(wc)
			if err != nil {
				b.Fatal(err)
			}
			if got > 0 {
				sum += sumIDs(wc[:got])
			}
		}
		took := time.Since(start)
		total += sum
		return took
	}, beside.Empty)
}

// sumIDs reads each completion and adds up the ids. It is a function, though that takes a nanosecond, so that its few instructions are at the beginning of a
// line of the cache: in a loop around a poll it depends on the rest of the program whether they are, and they take half as long again if not.
//
//go:noinline
func sumIDs(wc []ibv.WC) (sum uint64) {
	for i := range wc {
		sum += wc[i].WRID
	}
	return sum
}

// What PostSend adds to ibv_post_send of the same requests: RDMA writes of 64 bytes, of which the last is signalled.
func BenchmarkPostSend(b *testing.B) {
	benchmarkPost(b, func(q *QP) postLoop {
		return func(r *SendRequests, n int) (err error) {
			for ; n > 0 && err == nil; n-- {
				_, err = q.PostSend(r)
			}
			return err
		}
	})
}

// What DirectSend.Post adds, as BenchmarkPostSend.
func BenchmarkDirectPost(b *testing.B) {
	benchmarkPost(b, func(q *QP) postLoop {
		d := testDirectSend(b, q, DirectAttr{})
		return func(r *SendRequests, n int) (err error) {
			for ; n > 0 && err == nil; n-- {
				_, err = d.Post(r)
			}
			return err
		}
	})
}

// A postLoop posts so often.
type postLoop func(r *SendRequests, n int) error

func benchmarkPost(b *testing.B, how func(*QP) postLoop) {
	for _, n := range []int{1, 16} {
		b.Run(fmt.Sprintf("chain=%d", n), func(b *testing.B) {
			const room = 16384
			_, c := testDevice(b)
			sends := testCQ(b, c, room, false)
			p := newPair(b, nil, c, QPAttr{SendCQ: sends, RecvCQ: testCQ(b, c, 16, false), MaxSendWR: room}, ConnectAttr{})
			r := must(NewSendRequests(n, 1, 0))
			for i := range n {
				w := SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE, SGList: sge(p.mra, 0, 64), RemoteAddr: p.mrb.Addr(), RKey: p.mrb.RKey()}
				if i == n-1 {
					w.Flags = ibv.IBV_SEND_SIGNALED
				}
				must(0, r.Set(i, w))
			}
			post := how(p.a)
			b.ReportAllocs()
			beside.Compare(b, func(posts int) time.Duration { return postInC(b, p.a, r, posts, room/n) },
				func(posts int) time.Duration { return postInGo(b, p.a, post, r, posts, room/n) }, beside.Empty)
		})
	}
}

// postInGo posts so often, most times at once, and takes the completions after that, which is not timed.
func postInGo(b *testing.B, q *QP, post postLoop, r *SendRequests, posts, most int) (took time.Duration) {
	for ; posts > 0; posts -= most {
		n := min(posts, most)
		start := time.Now()
		err := post(r, n)
		took += time.Since(start)
		if err != nil {
			b.Fatal(err)
		}
		drain(b, q.sendCQ, n)
	}
	return took
}

// postInC does the same past the QP's accounting, which is told of the completions that it will see.
func postInC(b *testing.B, q *QP, r *SendRequests, posts, most int) (took time.Duration) {
	for ; posts > 0; posts -= most {
		n := min(posts, most)
		t := beside.Posts(q.raw, (*ibv.SendWR)(unsafe.Pointer(r.At(0))), n)
		if t < 0 {
			b.Fatal("a post failed")
		}
		took += t
		postedInC(q, r, n)
		drain(b, q.sendCQ, n)
	}
	return took
}

// postedInC tells the QP's accounting of requests that were posted past it. Nobody posts meanwhile. The whole mutex would shut a direct gate,
// and the next post would pay for that.
func postedInC(q *QP, r *SendRequests, times int) {
	q.sq.mu.take()
	for range times {
		q.sq.accept(r, r.Len())
	}
	q.sq.mu.give()
}

// drained is one for all, since benchmarks say that nothing is allocated, and run one after the other.
var drained [1024]ibv.WC

func drain(b *testing.B, q *CQ, n int) {
	wc := drained[:]
	for n > 0 {
		got, err := q.Poll(wc)
		if err != nil || got == 0 {
			b.Fatal(got, err)
		}
		for i := range wc[:got] {
			if err := wc[i].Err(); err != nil {
				b.Fatal(err)
			}
		}
		n -= got
	}
}

// What DirectCQ.Poll adds, as BenchmarkPoll.
func BenchmarkDirectPoll(b *testing.B) {
	for _, n := range []int{0, 1, 16, 64} {
		b.Run(fmt.Sprintf("completions=%d", n), func(b *testing.B) {
			_, c := testDevice(b)
			q := testCQ(b, c, 64, false)
			beside.Synthetic(q.raw, n)
			defer beside.Genuine(q.raw)
			d := testDirectCQ(b, q, DirectAttr{})
			wc := make([]ibv.WC, max(n, 1))
			b.ReportAllocs()
			total := uint64(0)
			beside.Compare(b, beside.Polls(q.raw, len(wc)), func(n int) time.Duration {
				start := time.Now()
				sum, err := directPolls(d, wc, n)
				took := time.Since(start)
				if err != nil {
					b.Fatal(err)
				}
				total += sum
				return took
			}, beside.Empty)
		})
	}
}

// directPolls polls so often, and adds up the ids.
func directPolls(d *DirectCQ, wc []ibv.WC, polls int) (sum uint64, err error) {
	for range polls {
		n, err := d.Poll(wc)
		if err != nil {
			return 0, err
		}
		if n > 0 {
			sum += sumIDs(wc[:n])
		}
	}
	return sum, nil
}
