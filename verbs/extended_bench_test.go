//go:build linux && cgo

package verbs

import (
	"fmt"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/beside"
)

// What an extended Poll adds to a loop in C that polls the same queue in the same batches and reads the same four fields: opcode, flags,
// length and QP number. The completions are made up, so that they never run out.
func BenchmarkPollExtended(b *testing.B) {
	for _, n := range []int{0, 1, 16} {
		b.Run(fmt.Sprintf("completions=%d", n), func(b *testing.B) {
			_, c := testDevice(b)
			q := testCQEx(b, c, CQExAttr{Fields: ibv.IBV_WC_EX_WITH_BYTE_LEN})
			beside.SyntheticEx(q.raw, n)
			wc := make([]WCEx, max(n, 1))
			total := uint64(0)
			b.ReportAllocs()
			beside.Compare(b, beside.PollsEx(q.raw, len(wc)), func(polls int) time.Duration {
				sum := uint64(0) // in a register, as in C
				start := time.Now()
				for range polls {
					got, err := q.Poll(wc)
					if err != nil {
						b.Fatal(err)
					}
					batch := wc[:got]
					for i := range batch {
						w := &batch[i]
						opcode, _ := w.Opcode()
						flags, _ := w.Flags()
						length, _ := w.ByteLen()
						number, _ := w.QPNum()
						sum += w.WRID() + uint64(w.Status()) + uint64(opcode) + uint64(flags) + uint64(length) + uint64(number)
					}
				}
				took := time.Since(start)
				total += sum
				return took
			}, beside.Empty)
		})
	}
}

// What PostSend adds to building and posting the same requests in C: RDMA writes of 64 bytes, of which the last is signalled.
func BenchmarkPostBuilt(b *testing.B) {
	for _, n := range []int{1, 16} {
		b.Run(fmt.Sprintf("batch=%d", n), func(b *testing.B) {
			const room = 16384
			_, c := testDevice(b)
			sends := testCQ(b, c, room, false)
			p := newPair(b, nil, c, QPAttr{SendCQ: sends, RecvCQ: testCQ(b, c, 16, false), MaxSendWR: room, SendOps: ibv.IBV_QP_EX_WITH_RDMA_WRITE}, ConnectAttr{})
			r := must(NewSendRequests(n, 1, 0))
			for i := range n {
				w := p.writeTo(uint64(i), 64, 0)
				if i != n-1 {
					w.Flags = 0
				}
				must(0, r.Set(i, w))
			}
			post := func(r *SendRequests, times int) error {
				for range times {
					if _, err := p.a.PostSend(r); err != nil {
						return err
					}
				}
				return nil
			}
			b.ReportAllocs()
			beside.Compare(b, func(posts int) time.Duration { return builtInC(b, p.a, r, posts, room/n) },
				func(posts int) time.Duration { return postInGo(b, p.a, post, r, posts, room/n) }, beside.Empty)
		})
	}
}

// builtInC is postInC for requests that are built.
func builtInC(b *testing.B, q *QP, r *SendRequests, posts, most int) (took time.Duration) {
	for ; posts > 0; posts -= most {
		n := min(posts, most)
		t := beside.Batches(q.sq.ex, r.At(0), r.Len(), n)
		if t < 0 {
			b.Fatal("a batch failed")
		}
		took += t
		postedInC(q, r, n)
		drain(b, q.sendCQ, n)
	}
	return took
}
