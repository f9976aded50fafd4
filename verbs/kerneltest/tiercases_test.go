//go:build linux && cgo

package kerneltest

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

// What every tier does that does what a case is about.
var tierCases = []struct {
	name  string
	needs feature
	cqe   int
	room  int // of a's send queue
	run   func(t *testing.T, p *polled)
}{
	{name: "at most so many, in order, and none twice", run: tierAtMost},
	{name: "fewer than asked for, without waiting", run: tierFewer},
	{name: "of no entries", needs: array, run: tierNothing},
	{name: "failures, and what they tell", run: tierFailures},
	{name: "beside others", needs: shares, run: tierBeside},
	{name: "a closed queue", run: tierClosed},
	{name: "closed while it polls", needs: closes, run: tierClosing},
	{name: "an overrun", needs: holds, cqe: 4, room: 256, run: tierOverrun},
}

func TestTiers(t *testing.T) {
	for _, way := range tiers {
		for _, c := range tierCases {
			if c.needs&^way.does != 0 {
				continue
			}
			t.Run(way.name+"/"+c.name, func(t *testing.T) {
				context := open(t)
				cqe := max(c.cqe, 1)
				if c.cqe == 0 {
					cqe = 64
				}
				p := way.open(t, context, cqe)
				p.tier = way
				pd := closing(t, must(context.AllocPD()))
				s := setup{scq: p.q, qp: verbs.QPAttr{MaxSendWR: c.room}}
				p.a, p.b = newSide(t, pd, s), newSide(t, pd, s)
				connect(t, p.a, p.b, verbs.ConnectAttr{})
				c.run(t, p)
			})
		}
	}
}

// wantIDs polls for the completions with these ids, all good, and no others.
func wantIDs(t testing.TB, p *polled, wc []ibv.WC, want ...uint64) {
	t.Helper()
	n, err := p.poll(wc)
	var got []uint64
	for i := range wc[:n] {
		if wc[i].Err() != nil || wc[i].Opcode != ibv.IBV_WC_RDMA_WRITE || wc[i].QPNum != p.a.qp.Num() {
			t.Errorf("%+v, %v", wc[i], wc[i].Err())
		}
		got = append(got, wc[i].WRID)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

// ibv_poll_cq(3) takes at most so many, those that were there first first, and takes them out. What is behind them stays as it was.
func tierAtMost(t *testing.T, p *polled) {
	wc := make([]ibv.WC, 6)
	wc[4].WRID, wc[5].WRID = 4444, 5555
	p.write(t, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	for _, want := range [][]uint64{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10}, {}, {}} {
		wantIDs(t, p, wc[:4:4], want...)
	}
	if wc[4].WRID != 4444 || wc[5].WRID != 5555 {
		t.Errorf("behind its end there is %+v", wc[4:])
	}
}

func tierFewer(t *testing.T, p *polled) {
	wc := make([]ibv.WC, 8)
	empty := make(chan error, 1)
	go func() {
		n, err := p.poll(wc)
		if n != 0 {
			err = errors.New("there is something")
		}
		empty <- err
	}()
	ok(t, soon(t, empty))
	p.write(t, 0, 7)
	wantIDs(t, p, wc, 7)
	wantIDs(t, p, wc)
}

func tierNothing(t *testing.T, p *polled) {
	p.write(t, 0, 7)
	wantIDs(t, p, nil)
	wantIDs(t, p, []ibv.WC{})
	wantIDs(t, p, make([]ibv.WC, 2), 7)
	wantIDs(t, p, nil)
}

// Of a request that has failed its id, status, QP number and the provider's code are told, and it is no error of the poll's. So it is with one that was
// flushed for it.
func tierFailures(t *testing.T, p *polled) {
	wr := with(writing, badRKey)(p.a, p.b)
	for wr.WRID = range uint64(2) {
		ok(t, p.a.qp.Send(wr))
	}
	for i, want := range []end{remoteAccess, flushed} {
		const rubbish = 0xdeadbeef // stays in what is not told
		wc := []ibv.WC{{WRID: rubbish, VendorErr: rubbish, QPNum: rubbish}}
		eventually(t, "completion", func() bool {
			n, err := p.poll(wc)
			ok(t, err)
			return n == 1
		})
		var e *ibv.CompletionError
		if !errors.As(wc[0].Err(), &e) || *e != (ibv.CompletionError{WRID: uint64(i), Status: wc[0].Status, QPNum: p.a.qp.Num(), VendorErr: wc[0].VendorErr}) ||
			!want.is(e.Status) || e.VendorErr == rubbish || wc[0].IsRecv() {
			t.Errorf("%+v, %v; want number %d with %v", wc[0], wc[0].Err(), i, want.right)
		}
	}
	wantIDs(t, p, make([]ibv.WC, 2))
}

// Each completion goes to one of those that poll, of which one is the tier's, and each sees them in order.
func tierBeside(t *testing.T, p *polled) {
	const total = 400
	var (
		mu   sync.Mutex
		seen = make(map[uint64]int)
		all  sync.WaitGroup
		late = time.Now().Add(patience)
	)
	for i, poll := range []pollFunc{p.poll, p.q.Poll, p.q.Poll, func(wc []ibv.WC) (int, error) { return p.q.PollSpin(wc, time.Microsecond) }} {
		all.Go(func() {
			last := -1
			wc := make([]ibv.WC, 1+i*5)
			for over := false; !over; {
				n, err := poll(wc)
				if err != nil || time.Now().After(late) {
					t.Error("polling ends with", err)
					return
				}
				mu.Lock()
				for j := range n {
					seen[wc[j].WRID]++
					if int(wc[j].WRID) <= last || wc[j].Err() != nil {
						t.Errorf("%d after %d, %v", wc[j].WRID, last, wc[j].Err())
					}
					last = int(wc[j].WRID)
				}
				over = len(seen) == total
				mu.Unlock()
			}
		})
	}
	postMany(t, p.a, p.b, 0, total)
	all.Wait()
	for id, n := range seen {
		if n != 1 {
			t.Errorf("completion %d was seen %d times", id, n)
		}
	}
	wantIDs(t, p, make([]ibv.WC, 2))
}

// wantClosed wants an error that says so, and names verb and object.
func wantClosed(t testing.TB, err error) {
	t.Helper()
	var e *verbs.Error
	if !errors.As(err, &e) || !errors.Is(err, verbs.ErrClosed) || e.Verb == "" || e.Object == "" {
		t.Errorf("%v, want an *Error with ErrClosed", err)
	}
}

func tierClosed(t *testing.T, p *polled) {
	wc := make([]ibv.WC, 2)
	wantIDs(t, p, wc)
	ok(t, p.close())
	for range 3 {
		n, err := p.poll(wc)
		if n != 0 {
			t.Errorf("%d completions of a closed queue", n)
		}
		wantClosed(t, err)
	}
}

// Closing waits for the poll that is under way, and the next one says so.
func tierClosing(t *testing.T, p *polled) {
	polling, ended := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		wc := make([]ibv.WC, 4)
		for i := 0; ; i++ {
			n, err := p.poll(wc)
			if i == 1000 || err != nil {
				polling <- struct{}{}
			}
			if n != 0 || err != nil {
				ended <- err
				return
			}
		}
	}()
	soon(t, polling)
	closed := make(chan error, 1)
	go func() { closed <- p.close() }()
	ok(t, soon(t, closed))
	wantClosed(t, soon(t, ended))
}
