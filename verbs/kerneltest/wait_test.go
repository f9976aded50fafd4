//go:build linux && cgo

package kerneltest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

// within is a context that ends after a while, so that a test that waits for what does not come fails.
func within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// soon wants a value from a goroutine.
func soon[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatal("nothing has come")
		panic("unreachable")
	}
}

// never wants none for a while.
func never[T any](t testing.TB, c <-chan T, what string) {
	t.Helper()
	select {
	case v := <-c:
		t.Fatalf("%s: %v", what, v)
	case <-time.After(100 * time.Millisecond):
	}
}

// passMessage sends an empty message, for which a receive has to be there, and takes the sender's completion.
func passMessage(t testing.TB, from *side, wrid uint64, flags ibv.SendFlags) {
	t.Helper()
	ok(t, from.qp.Send(verbs.SendWR{WRID: wrid, Opcode: ibv.IBV_WR_SEND, Flags: ibv.IBV_SEND_SIGNALED | flags}))
	done(t, from.scq, wrid, ibv.IBV_WC_SEND)
}

// waiting waits in a goroutine and tells how many completions have come.
func waiting(t testing.TB, wait func(context.Context, []ibv.WC) (int, error)) <-chan int {
	c := make(chan int, 1)
	ctx := within(t, patience)
	go func() {
		n, err := wait(ctx, make([]ibv.WC, 16))
		if err != nil {
			t.Error(err)
		}
		c <- n
	}()
	return c
}

func TestWaitForNothing(t *testing.T) {
	a, _ := connected(t, setup{channels: true})
	wc := make([]ibv.WC, 1)
	if n, err := a.rcq.Wait(within(t, 100*time.Millisecond), wc); n != 0 || err != context.DeadlineExceeded {
		t.Errorf("%d, %v; want the context's error", n, err)
	}
}

// What was there before somebody waits has had its event, or none: it is found all the same, and with a context that is done.
func TestWaitFindsWhatIsThere(t *testing.T) {
	a, b := connected(t, setup{channels: true})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for i := range uint64(6) {
		ok(t, b.qp.Recv(verbs.RecvWR{WRID: i}))
		passMessage(t, a, i, 0)
		if i >= 3 && which() != hardware { // where it may come later than the acknowledgement
			cancel()
		}
		wc := make([]ibv.WC, 4)
		if n, err := b.rcq.Wait(ctx, wc); n != 1 || err != nil || wc[0].WRID != i {
			t.Fatalf("%d, %v, %+v; want number %d", n, err, wc[0], i)
		}
	}
}

// Only what was sent with IBV_SEND_SOLICITED, or has failed, wakes who waits for that; the others come along.
func TestSolicited(t *testing.T) {
	a, b := connected(t, setup{channels: true})
	for i := range uint64(4) {
		ok(t, b.qp.Recv(verbs.RecvWR{WRID: i}))
	}
	c := waiting(t, b.rcq.WaitSolicited)
	never(t, c, "woken by nothing")
	passMessage(t, a, 1, 0)
	passMessage(t, a, 2, 0)
	never(t, c, "woken by messages that did not ask for it")
	passMessage(t, a, 3, ibv.IBV_SEND_SOLICITED)
	if n := soon(t, c); n != 3 {
		t.Errorf("%d completions, want 3", n)
	}
	if which() == rxe {
		return // from 6.12 on it does not wake for a failure: it counts flushed receives as unsolicited, against ibv_req_notify_cq(3)
	}
	c = waiting(t, b.rcq.WaitSolicited)
	never(t, c, "woken by nothing")
	ok(t, moving(b, ibv.IBV_QPS_ERR))
	if n := soon(t, c); n != 1 {
		t.Errorf("%d completions, want the receive that was flushed", n)
	}
}

func TestWaitIsWokenByAFlush(t *testing.T) {
	a, _ := connected(t, setup{channels: true})
	ok(t, a.qp.Recv(verbs.RecvWR{}))
	c := waiting(t, a.rcq.Wait)
	never(t, c, "woken by nothing")
	ok(t, moving(a, ibv.IBV_QPS_ERR))
	if n := soon(t, c); n != 1 {
		t.Errorf("%d completions, want 1", n)
	}
}

// Closing a CQ wakes those that wait for it.
func TestCloseWakes(t *testing.T) {
	c := open(t)
	ch := closing(t, must(c.CreateCompChannel()))
	cq := must(c.CreateCQ(verbs.CQAttr{CQE: 4, Channel: ch}))
	got := make(chan error, 3)
	for range cap(got) {
		go func() {
			_, err := cq.Wait(context.Background(), make([]ibv.WC, 1))
			got <- err
		}()
	}
	never(t, got, "woken by nothing")
	ok(t, cq.Close())
	for range cap(got) {
		if err := soon(t, got); !errors.Is(err, verbs.ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
	}
}

const (
	waiters  = 20
	messages = 400
	depth    = 16 // how many of them are under way
)

// Of many goroutines that wait for one CQ, each completion goes to one, and none sleeps while there are some.
func TestManyWait(t *testing.T) {
	a, b := connected(t, setup{channels: true, qp: verbs.QPAttr{MaxSendWR: depth, MaxRecvWR: depth}})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	came := make(chan uint64, messages)
	var all sync.WaitGroup
	for range waiters {
		all.Go(func() { collect(ctx, t, b.rcq, came) })
	}
	for i := range uint64(depth) {
		ok(t, b.qp.Recv(verbs.RecvWR{WRID: i}))
	}
	seen := map[uint64]bool{}
	for i := range uint64(messages) {
		passMessage(t, a, i, 0)
		seen[soon(t, came)] = true
		if next := i + depth; next < messages {
			ok(t, b.qp.Recv(verbs.RecvWR{WRID: next}))
		}
	}
	cancel()
	all.Wait()
	if len(seen) != messages || len(came) != 0 {
		t.Errorf("%d different messages of %d have come, and %d too many", len(seen), messages, len(came))
	}
}

// collect waits for completions, one or two at a time, until ctx is done.
func collect(ctx context.Context, t testing.TB, cq *verbs.CQ, came chan<- uint64) {
	wc := make([]ibv.WC, 2)
	for {
		n, err := cq.Wait(ctx, wc)
		for i := range n {
			if wc[i].Err() != nil {
				t.Error(wc[i].Err())
			}
			came <- wc[i].WRID
		}
		if err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			return
		}
	}
}

// Each CQ of a channel wakes its own waiter only.
func TestChannelOfSeveralCQs(t *testing.T) {
	const n = 4
	c := open(t)
	pd, ch := closing(t, must(c.AllocPD())), closing(t, must(c.CreateCompChannel()))
	var sides [n][2]*side
	var waits [n]<-chan int
	for i := range sides {
		a, b := newSide(t, pd, setup{channel: ch}), newSide(t, pd, setup{channel: ch})
		connect(t, a, b, verbs.ConnectAttr{})
		ok(t, b.qp.Recv(verbs.RecvWR{}))
		sides[i], waits[i] = [2]*side{a, b}, waiting(t, b.rcq.Wait)
	}
	for i := n - 1; i >= 0; i-- {
		never(t, waits[i], "woken by another CQ's")
		passMessage(t, sides[i][0], 1, 0)
		if n := soon(t, waits[i]); n != 1 {
			t.Errorf("%d completions, want 1", n)
		}
	}
	if err := ch.Close(); err == nil {
		t.Error("a channel with CQs could be closed")
	}
}

func TestPollSpin(t *testing.T) {
	a, b := connected(t, setup{})
	wc := make([]ibv.WC, 4)
	start := time.Now()
	if n, err := b.rcq.PollSpin(wc, verbs.MaxSpin); n != 0 || err != nil || time.Since(start) < verbs.MaxSpin {
		t.Errorf("%d, %v after %v", n, err, time.Since(start))
	}
	for i := range uint64(20) {
		ok(t, b.qp.Recv(verbs.RecvWR{WRID: i}))
		ok(t, a.qp.Send(verbs.SendWR{WRID: i, Opcode: ibv.IBV_WR_SEND, Flags: ibv.IBV_SEND_SIGNALED}))
		n := 0
		for end := time.Now().Add(patience); n == 0 && time.Now().Before(end); {
			n = must(b.rcq.PollSpin(wc, verbs.MaxSpin))
		}
		if n != 1 || wc[0].WRID != i || wc[0].Err() != nil {
			t.Fatalf("%d completions, %+v; want number %d", n, wc[0], i)
		}
		done(t, a.scq, i, ibv.IBV_WC_SEND)
	}
}

// All yields what comes, in order, and ends with its context.
func TestAll(t *testing.T) {
	a, b := connected(t, setup{channels: true})
	for i := range uint64(10) {
		ok(t, b.qp.Recv(verbs.RecvWR{WRID: i}))
	}
	go func() {
		for range 10 {
			if err := a.qp.Send(verbs.SendWR{Opcode: ibv.IBV_WR_SEND}); err != nil {
				t.Error(err)
			}
		}
	}()
	next := uint64(0)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var last error
	for wc, err := range b.rcq.All(ctx) {
		for i := range wc {
			if wc[i].Err() != nil || wc[i].WRID != next {
				t.Errorf("%+v, want number %d", wc[i], next)
			}
			next++
		}
		if last = err; next == 10 {
			cancel()
		}
	}
	if next != 10 || last != context.Canceled {
		t.Errorf("%d completions, and %v at the end", next, last)
	}
}
