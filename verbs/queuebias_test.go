//go:build linux && cgo

package verbs

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/direct"
	"github.com/goverbs/ibv/internal/membarrier"
	"github.com/goverbs/ibv/internal/release"
)

func needsMembarrier(t *testing.T) {
	if why := membarrier.Unavailable(); why != "" {
		t.Skip("no bias is learned: " + why)
	}
}

// post is what a post does with a queue's mutex. It reports whether the bias spared it that.
func (m *queueMutex) post(chain uintptr) bool {
	if t := m.bias.enter(chain); t != nil {
		t.leave()
		return true
	}
	m.Lock()
	m.unlockAfter(chain)
	return false
}

// towards is the chain that the bias is towards; 0: none.
func (b *bias) towards() uintptr {
	if t := b.term.Load(); t != nil {
		return t.chain
	}
	return 0
}

// posts is how many posts of a chain take the mutex before the bias spares them that; -1: more than most.
func (m *queueMutex) posts(chain uintptr, most int) int {
	for n := range most + 1 {
		if m.post(chain) {
			return n
		}
	}
	return -1
}

// A chain that is posted again and again becomes the bias, later each time that one has ended.
func TestBiasIsLearned(t *testing.T) {
	needsMembarrier(t)
	var m queueMutex
	enough := minEnough
	for range 12 {
		if n := m.posts(1, maxEnough+1); n != enough+1 {
			t.Fatalf("learned after %d posts, want %d", n, enough+1)
		}
		if m.bias.enter(2) != nil || m.bias.enter(0) != nil {
			t.Fatal("another chain is in")
		}
		m.Lock()
		if m.bias.enter(1) != nil {
			t.Fatal("in beside the mutex")
		}
		m.Unlock()
		enough = min(4*enough, maxEnough)
	}
	// What another has been posted does not count.
	m = queueMutex{}
	for range minEnough {
		m.post(1)
	}
	if n := m.posts(2, maxEnough); n != minEnough+1 {
		t.Errorf("learned after %d posts, want %d", n, minEnough+1)
	}
	// Chains in turns are no habit, and no chain is one.
	m = queueMutex{}
	for i := range 10 * minEnough {
		if m.post(uintptr(1+i%2)) || m.post(0) || m.post(0) {
			t.Fatal("learned")
		}
	}
}

// While there is a direct poster, which the mutex keeps out by its gate, there is no bias.
func TestNoBiasBesideADirectPoster(t *testing.T) {
	needsMembarrier(t)
	var m queueMutex
	gate := direct.NewGate(new(direct.Stack), 0, 0, nil, 0, 0)
	if m.posts(1, minEnough+1) < 0 {
		t.Fatal("not learned")
	}
	m.Lock()
	if !m.attach(gate) {
		t.Fatal("there is a poster")
	}
	m.Unlock()
	if m.posts(1, 20*minEnough) >= 0 {
		t.Error("learned beside a direct poster")
	}
	m.detach(gate)
	if m.posts(1, 20*minEnough) < 0 {
		t.Error("not learned afterwards")
	}
}

// Where the kernel has no fence there is no bias.
func TestNoBiasWithoutAFence(t *testing.T) {
	var m queueMutex
	m.bias.begin(1, "no fence")
	if m.posts(1, 100*minEnough) >= 0 {
		t.Error("learned")
	}
}

// waitsFor tests that Lock waits until one who is in leaves.
func (m *queueMutex) waitsFor(t *testing.T, in *term) {
	t.Helper()
	locked := make(chan bool)
	go func() {
		m.Lock()
		close(locked)
	}()
	select {
	case <-locked:
		t.Error("locked beside a post")
	case <-time.After(20 * time.Millisecond): // for one that does not wait
	}
	in.leave()
	<-locked
}

// Whoever wants the mutex waits for one who is in with the chain.
func TestBiasIsWaitedFor(t *testing.T) {
	needsMembarrier(t)
	var m queueMutex
	m.Lock()
	m.bias.begin(1, "")
	m.Unlock()
	in := m.bias.enter(1)
	if in == nil {
		t.Fatal("not in")
	}
	m.waitsFor(t, in)
}

// What was done in a bias is seen by the next who is let in, though it be somebody else, with a new chain at the same address. (The race detector tells.)
func TestBiasHandsOver(t *testing.T) {
	needsMembarrier(t)
	var m queueMutex
	m.Lock()
	m.bias.begin(1, "")
	m.Unlock()
	total := 0
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 30 * time.Millisecond) // which is no order to the race detector
			if t := m.bias.enter(1); t != nil {
				total++
				t.leave()
			}
		})
	}
	wg.Wait()
	if total != 3 {
		t.Errorf("%d were in", total)
	}
	// Two at once are against the rules, and the second is not let in.
	in := m.bias.enter(1)
	if in == nil || m.bias.enter(1) != nil {
		t.Error("the second was let in beside the first")
	}
	in.leave()
}

// Who has lost his processor on the way in, and comes back when the bias is long towards another chain, does not end that one's post.
func TestBiasOfALateOne(t *testing.T) {
	needsMembarrier(t)
	var m queueMutex
	begin := func(chain uintptr) {
		m.Lock()
		m.bias.begin(chain, "")
		m.Unlock()
	}
	begin(1)
	late := m.bias.term.Load() // as enter does, which goes on below
	begin(2)
	in := m.bias.enter(2)
	if in == nil {
		t.Fatal("not in")
	}
	release.Store32(&late.in, 1)
	if m.bias.term.Load() == late {
		t.Error("the term is still the first")
	}
	late.leave()
	m.waitsFor(t, in)
}

// Nobody is in beside another: those who take the mutex, and whoever comes with the chain. What all of them do is not atomic: without
// the kernel's fence some of it is lost each time on two processors.
func TestBiasKeepsApart(t *testing.T) {
	needsMembarrier(t)
	var m queueMutex
	var wg sync.WaitGroup
	total, spared, posts := 0, 0, 0
	var others atomic.Int64
	end := time.Now().Add(500 * time.Millisecond)
	for range 2 {
		wg.Go(func() {
			for time.Now().Before(end) {
				m.Lock()
				total++
				m.bias.enough = 0 // so that it is learned soon
				m.Unlock()
				others.Add(1)
				time.Sleep(20 * time.Microsecond)
			}
		})
	}
	wg.Go(func() {
		for time.Now().Before(end) || spared == 0 && time.Now().Before(end.Add(20*time.Second)) {
			for range 100 {
				posts++
				if t := m.bias.enter(1); t != nil {
					total++
					spared++
					t.leave()
					continue
				}
				m.Lock()
				total++
				m.unlockAfter(1)
			}
		}
	})
	wg.Wait()
	if want := posts + int(others.Load()); total != want || spared == 0 || spared == posts {
		t.Errorf("%d times in, want %d; %d of %d posts without the mutex", total, want, spared, posts)
	}
}

// Who has lost his processor on the way in comes back to a bias that has ended: a long time alone is long enough to see him.
func TestBiasEndsBeforeOneIsIn(t *testing.T) {
	needsMembarrier(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2*runtime.NumCPU() + 1))
	var m queueMutex
	var stop atomic.Bool
	var ins uint64
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			for range 50 {
				if t := m.bias.enter(1); t != nil {
					ins++
					t.leave()
				}
			}
		}
	})
	for range 2 * runtime.NumCPU() { // so that each loses his now and then
		wg.Go(func() {
			for !stop.Load() {
			}
		})
	}
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end) && !t.Failed(); {
		m.Lock()
		at := ins
		for start := time.Now(); time.Since(start) < 5*time.Millisecond; {
			if ins != at {
				t.Error("a post that has begun before the bias ended")
				break
			}
		}
		m.bias.begin(1, "")
		m.Unlock()
		time.Sleep(time.Millisecond)
	}
	stop.Store(true)
	wg.Wait()
}

// Posts of a chain come to do without the mutex, and account as before: what does not fit is refused, from there and beside other chains, sends of one
// request, and changes of the QP's state.
func TestPostsWithoutTheMutex(t *testing.T) {
	needsMembarrier(t)
	p := testPair(t, QPAttr{MaxSendWR: 64, MaxRecvWR: 64}, ConnectAttr{})
	one, two := oneSend(p.mra), oneSend(p.mra)
	recv := must(NewRecvRequests(1, 1))
	must(0, recv.Set(0, RecvWR{SGList: sge(p.mrb, 0, 64)}))
	wc := make([]ibv.WC, 64)
	take := func(q *CQ) {
		if n, err := q.Poll(wc); n != 1 || err != nil || wc[0].Status != ibv.IBV_WC_SUCCESS {
			t.Fatal(n, err, wc[0].Status)
		}
	}
	message := func(r *SendRequests) {
		t.Helper()
		must(p.b.PostRecv(recv))
		must(p.a.PostSend(r))
		take(p.b.recvCQ)
		take(p.a.sendCQ)
	}
	biased := func(want *SendRequests) {
		t.Helper()
		if got := p.a.sq.mu.bias.towards(); got != chainOf(want) {
			t.Fatalf("the bias is %#x, want %#x", got, chainOf(want))
		}
	}
	for range 2 * minEnough {
		message(one)
	}
	biased(one)
	if got := p.b.rq.mu.bias.towards(); got != chainOf(recv) {
		t.Errorf("the receives' bias is %#x, want %#x", got, chainOf(recv))
	}
	message(two)
	biased(nil)
	for range 8 * minEnough {
		message(two)
	}
	biased(two)
	must(p.b.PostRecv(recv))
	ok(t, p.a.Send(SendWR{Opcode: ibv.IBV_WR_SEND, Flags: ibv.IBV_SEND_SIGNALED, SGList: sge(p.mra, 0, 64)}))
	take(p.b.recvCQ)
	take(p.a.sendCQ)
	biased(nil)
	for range 40 * minEnough {
		message(one)
	}
	biased(one)
	// Full is full.
	must(0, recv.SetLen(1))
	for range 64 {
		must(p.b.PostRecv(recv))
	}
	room := int(p.a.sq.room)
	for i := range room {
		if _, err := p.a.PostSend(one); err != nil && i < 64 {
			t.Fatal(i, err)
		}
	}
	if n, err := p.a.PostSend(one); n != 0 {
		t.Error(n, err)
	} else {
		wantError(t, err, "ibv_post_send", p.a.String(), 12)
	}
	biased(one)
	// And closed is closed.
	ok(t, p.a.Close())
	if _, err := p.a.PostSend(one); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	biased(nil)
}
