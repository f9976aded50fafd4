//go:build linux && cgo

package verbs

import (
	"context"
	"reflect"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

// testRing makes a ring, and a CQ of each size in it. They are closed when the test ends.
func testRing(t testing.TB, c *Context, attr RingAttr, cqes ...int) (*Ring, []*CQ) {
	t.Helper()
	r := closing(t, must(c.CreateRing(attr)))
	var cqs []*CQ
	for _, n := range cqes {
		cqs = append(cqs, closing(t, must(r.CreateCQ(CQAttr{CQE: n}))))
	}
	return r, cqs
}

// ringTake takes n completions, or less if an error comes first.
func ringTake(t testing.TB, r *Ring, n int) (wc []ibv.WC, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for len(wc) < n && err == nil {
		var batch []ibv.WC
		batch, err = r.Wait(ctx)
		wc = append(wc, batch...)
	}
	return wc, err
}

// ringPoll is CQ.Poll of a ring's queue, for tests of what all ways to poll have in common: it copies. What is in a CQ is in the ring by then.
func ringPoll(r *Ring) func([]ibv.WC) (int, error) {
	var rest []ibv.WC
	return func(wc []ibv.WC) (n int, err error) {
		if r != nil && r.state != nil {
			r.state.poller.Flush()
		}
		for n < len(wc) {
			if len(rest) == 0 {
				if rest, err = r.Next(); len(rest) == 0 {
					break
				}
			}
			k := copy(wc[n:], rest)
			n, rest = n+k, rest[k:]
		}
		if n > 0 {
			err = nil
		}
		return n, err
	}
}

func TestRing(t *testing.T) {
	d, c := testDeviceWith(t, softdev.Config{Name: "mlx5_0"}, OpenAttr{})
	r, cqs := testRing(t, c, RingAttr{Entries: 100}, 16, 16)
	if r.String() != "ring 1 on mlx5_0" || r.Context() != c || r.Entries() != 128 || cqs[0].Ring() != r || cqs[0].Channel() != nil {
		t.Errorf("%v on %v of %d, %v", r, r.Context(), r.Entries(), cqs[0].Ring())
	}
	if wc, err := r.Next(); wc != nil || err != nil {
		t.Errorf("%v, %v; want nothing", wc, err)
	}
	sent := ibv.WC{WRID: 7, Status: ibv.IBV_WC_RNR_RETRY_EXC_ERR, VendorErr: 3, QPNum: 9, ByteLen: 4, SLID: 5, DLIDPathBits: 6}
	ok(t, d.Complete(cqs[0].raw, &sent, false))
	if wc, err := ringTake(t, r, 1); err != nil || len(wc) != 1 || !reflect.DeepEqual(wc[0], sent) {
		t.Errorf("%+v, %v; want %+v", wc, err, sent)
	}
	poll, wc := ringPoll(r), make([]ibv.WC, 3)
	for i := range uint64(50) {
		push(t, d, cqs[1], i, i+1, i+2, i+3)
		if n, err := poll(wc); n != 3 || err != nil || wc[0].WRID != i || wc[2].WRID != i+2 {
			t.Fatalf("%v, %v", ids(wc[:n]), err)
		}
		if n, err := poll(wc); n != 1 || err != nil || wc[0].WRID != i+3 {
			t.Fatalf("%v, %v", ids(wc[:n]), err)
		}
	}
	for i := range uint64(1000) { // many times around
		push(t, d, cqs[i%2], i)
		if wc, err := ringTake(t, r, 1); err != nil || len(wc) != 1 || wc[0].WRID != i {
			t.Fatalf("%v, %v; want number %d", ids(wc), err, i)
		}
	}
	if s := r.Stats(); s.Taken != 1201 || s.Stalls != 0 || s.Full != 0 {
		t.Errorf("%+v", s)
	}
	wantError(t, r.Close(), "ibv_destroy_comp_channel", "ring 1 on mlx5_0", syscall.EBUSY, "still used by cq 1 on mlx5_0; cq 2 on mlx5_0")
	wantError(t, c.Close(), "ibv_close_device", "mlx5_0", syscall.EBUSY, "cq 1 on mlx5_0; cq 2 on mlx5_0; ring 1 on mlx5_0")
}

// A batch is the ring's memory, and stays as it is until the next call.
func TestRingBatch(t *testing.T) {
	d, c := testDevice(t)
	r, cqs := testRing(t, c, RingAttr{Entries: 4}, 64)
	push(t, d, cqs[0], 0, 1, 2, 3, 4, 5, 6, 7)
	eventually(t, "full ring", func() bool { return r.Stats().Stalls == 1 })
	first := must(r.Next())
	time.Sleep(10 * time.Millisecond)
	if !slices.Equal(ids(first), []uint64{0, 1, 2, 3}) || cap(first) != 4 || r.Stats().Taken != 4 {
		t.Fatalf("%v, %+v", ids(first), r.Stats())
	}
	r.Release()
	eventually(t, "rest", func() bool { return r.Stats().Taken == 8 })
	if second := must(r.Next()); !slices.Equal(ids(second), []uint64{4, 5, 6, 7}) || &second[0] != &first[0] {
		t.Errorf("%v, not in the same memory", ids(second))
	}
}

// What does not fit stays in its CQ, is counted, and comes when there is room, in order.
func TestRingIsFull(t *testing.T) {
	d, c := testDevice(t)
	r, cqs := testRing(t, c, RingAttr{Entries: 8}, 1024, 1024)
	const n = 500
	for i := range uint64(n) {
		push(t, d, cqs[0], i)
		push(t, d, cqs[1], n+i)
	}
	eventually(t, "full ring", func() bool { s := r.Stats(); return s.Taken == 8 && s.Stalls == 1 && s.Full > 10 })
	wc, err := ringTake(t, r, 2*n)
	if err != nil {
		t.Fatal(err)
	}
	var next [2]uint64
	for i := range wc {
		q := wc[i].WRID / n
		if wc[i].WRID != q*n+next[q] {
			t.Fatalf("number %d comes in place %d of queue %d", wc[i].WRID, next[q], q)
		}
		next[q]++
	}
	if s := r.Stats(); s.Taken != 2*n || s.Stalls < 1 || next != [2]uint64{n, n} {
		t.Errorf("%+v, %v", s, next)
	}
}

// While there is no room, no queue of several is left out for good.
func TestRingTakesTurns(t *testing.T) {
	d, c := testDevice(t)
	r, cqs := testRing(t, c, RingAttr{Entries: 1}, 64, 64, 64)
	for i := range uint64(30) {
		for q, cq := range cqs {
			push(t, d, cq, uint64(q)*100+i)
		}
	}
	wc := must(ringTake(t, r, 12))
	seen := map[uint64]int{}
	for i := range wc {
		seen[wc[i].WRID/100]++
	}
	if len(seen) != 3 {
		t.Errorf("of 12 completions the queues had %v", seen)
	}
	must(ringTake(t, r, 78))
}

// Its queues are not polled otherwise.
func TestRingCQIsNotPolled(t *testing.T) {
	d, c := testDevice(t)
	r, cqs := testRing(t, c, RingAttr{Entries: 4}, 4)
	q, wc := cqs[0], make([]ibv.WC, 1)
	push(t, d, q, 1)
	_, poll := q.Poll(wc)
	_, spin := q.PollSpin(wc, 0)
	_, wait := q.Wait(t.Context(), wc)
	_, solicited := q.WaitSolicited(t.Context(), wc)
	for _, err := range q.All(t.Context()) {
		wantError(t, err, "ibv_poll_cq", q.String(), syscall.EINVAL, "ring 1 on softdev0 polls it")
		break
	}
	for _, err := range []error{poll, spin, wait, solicited} {
		wantError(t, err, "ibv_poll_cq", q.String(), syscall.EINVAL, "ring 1 on softdev0 polls it")
	}
	if n, err := q.Poll(nil); n != 0 || err != nil {
		t.Error(n, err)
	}
	if wc := must(ringTake(t, r, 1)); wc[0].WRID != 1 {
		t.Error(ids(wc))
	}
	_, err := r.CreateCQ(CQAttr{CQE: 1, Channel: closing(t, must(c.CreateCompChannel()))})
	wantError(t, err, "ibv_create_cq", c.String(), syscall.EINVAL, "CQAttr.Channel is not nil")
}

func TestRingRefuses(t *testing.T) {
	d, c := testDevice(t)
	before := d.Objects()
	for _, x := range []struct {
		attr RingAttr
		text string
	}{
		{RingAttr{}, "RingAttr.Entries is 0"},
		{RingAttr{Entries: -1}, "RingAttr.Entries is -1"},
		{RingAttr{Entries: MaxRingEntries + 1}, "between 1 and 4194304"},
		{RingAttr{Entries: 1, CPU: new(-1)}, "RingAttr.CPU is -1"},
		{RingAttr{Entries: 1, CPU: new(1000)}, "it may not run on the processor"},
		{RingAttr{Entries: 1, CPU: new(1 << 20)}, "it may not run on the processor"},
	} {
		r, err := c.CreateRing(x.attr)
		wantError(t, err, "ibv_create_comp_channel", c.String(), syscall.EINVAL, x.text)
		if r != nil || d.Objects() != before {
			t.Errorf("%v, %v left", r, d.Objects())
		}
	}
	ok(t, d.Fail("create_comp_channel", softdev.Fault{Errno: syscall.EMFILE}))
	_, err := c.CreateRing(RingAttr{Entries: 1})
	wantError(t, err, "ibv_create_comp_channel", c.String(), syscall.EMFILE)
	r, _ := testRing(t, c, RingAttr{Entries: 1})
	ok(t, d.Fail("create_cq", softdev.Fault{Errno: syscall.ENOMEM}))
	_, err = r.CreateCQ(CQAttr{CQE: 1})
	wantError(t, err, "ibv_create_cq", c.String(), syscall.ENOMEM)
	_, err = r.CreateCQ(CQAttr{})
	wantError(t, err, "ibv_create_cq", c.String(), syscall.EINVAL, "CQE 0")
}

func TestNilZeroAndClosedRings(t *testing.T) {
	_, c := testDevice(t)
	closed := must(c.CreateRing(RingAttr{Entries: 1}))
	ok(t, closed.Close())
	ok(t, closed.Close())
	for _, r := range []*Ring{nil, {}, closed} {
		v := reflect.ValueOf(r)
		for i := range v.NumMethod() {
			checkAnswers(t, v.Type().String()+"."+v.Type().Method(i).Name, v.Method(i))
		}
	}
	if closed.Entries() != 1 || closed.Context() != c || (*CQ)(nil).Ring() != nil {
		t.Error(closed.Entries(), closed.Context())
	}
}

// Nobody else polls a ring's queue, by any way.
func TestOnlyTheRingPollsItsQueues(t *testing.T) {
	_, c := testDevice(t)
	r := closing(t, must(c.CreateRing(RingAttr{Entries: 16})))
	q := closing(t, must(r.CreateCQ(CQAttr{CQE: 16})))
	wc := make([]ibv.WC, 1)
	_, polled := q.Poll(wc)
	_, spun := q.PollSpin(wc, 0)
	_, waited := q.Wait(t.Context(), wc)
	_, direct := q.Direct(DirectAttr{})
	for _, err := range []error{polled, spun, waited, direct} {
		wantError(t, err, "ibv_poll_cq", q.name, syscall.EINVAL, r.name+" polls it")
	}
}
