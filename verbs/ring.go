package verbs

import (
	"fmt"
	"math"
	"syscall"
	"time"

	"github.com/goverbs/ibv/internal/cverbs"
	"github.com/goverbs/ibv/internal/ring"
)

// A Ring is where a thread of its own, which is not Go's, puts the completions of some CQs: those that [Ring.CreateCQ] has made. Go's collector never stops the
// thread, so that what comes while the program stands still does not overrun a CQ, as long as the ring has room; and to look for completions is no call of C, but two
// loads.
//
// It costs a processor: the thread polls without pause while something comes, and for [RingAttr.Spin] after that. Then it sleeps, in
// a call of poll(2) on its own completion channel, and the first completion after that takes as long as waking it does, some microseconds or tens of them. It is for
// traffic that is worth a processor. With fewer processors than busy threads it is slower than [CQ.Poll], which is also the better one for a CQ that is
// polled at times that the program knows; [CQ.Wait] is, for one that is mostly idle.
//
// A fault in the device's driver on the thread ends the program without a word from Go, which knows nothing of the thread.
//
// # Who may call what
//
// Empty, Next, Wait, All and Release belong to one goroutine at a time, which the caller sees to: the race detector finds who does not, once there are completions. Everything else may be called by
// several goroutines at once, Close among them.
//
// # When the ring is full
//
// The thread then takes nothing, and counts that: see [RingStats]. What comes stays in its CQ, which overruns in the end. A ring with more
// entries than requests may be outstanding, or not taken yet, is never full.
//
// # When a CQ or a QP goes
//
// Closing a CQ has the thread take what it holds before; what there is no room for is kept, and given out as well. If polling fails
// meanwhile, or has failed and nobody was told yet, the rest is lost, and nobody will be. Completions that are in the ring stay there, also when their QP is closed or goes to
// IBV_QPS_RESET, where they would be dropped from a CQ. Closing the ring needs its CQs to be closed before; then Next goes on to give out what is in it, and fails
// with [ErrClosed] after that.
type Ring struct {
	*object
	ctx   *Context
	ring  *ring.Ring // the consumer's
	state *ringState
}

// RingAttr says what a ring is to be like.
type RingAttr struct {
	// How many completions it has room for, 1 at least, and [MaxRingEntries] at most; it is rounded up to a power of two. Each takes 48 bytes.
	Entries int
	// The processor that the thread is to run on, numbered as Linux does; nil for any.
	CPU *int
	// How long the thread goes on polling when nothing comes, before it sleeps: DefaultRingSpin if it is 0. If it is negative the thread never sleeps, and needs no
	// completion channel.
	Spin time.Duration
}

// DefaultRingSpin is about what sleeping and waking takes; MaxRingEntries is the most that [RingAttr] may ask for.
const (
	DefaultRingSpin = 50 * time.Microsecond
	MaxRingEntries  = 1 << 22
)

// CreateRing makes a ring and starts its thread, which has a completion channel of its own (ibv_create_comp_channel). Errors are those of the
// channel, and of the thread: EINVAL for a processor that the thread may not run on.
func (c *Context) CreateRing(attr RingAttr) (*Ring, error) {
	const verb = cverbs.VerbCreateCompChannel
	if err := begin(verb, c.core()); err != nil {
		return nil, err
	}
	defer end(c.core())
	if attr.Entries < 1 || attr.Entries > MaxRingEntries {
		return nil, refused(verb, c.name, syscall.EINVAL, fmt.Sprintf("RingAttr.Entries is %d, and has to be between 1 and %d", attr.Entries, MaxRingEntries))
	}
	if attr.CPU != nil && (*attr.CPU < 0 || *attr.CPU > math.MaxInt32) {
		return nil, refused(verb, c.name, syscall.EINVAL, fmt.Sprintf("RingAttr.CPU is %d, which is no processor", *attr.CPU))
	}
	s := &ringState{home: c.home, name: c.home.name("ring"), cqs: make(map[uint64]string)}
	entries := ring.New(attr.Entries)
	if err := s.start(c, entries, attr); err != nil {
		return nil, err
	}
	o := newObject(c.home, s.name, c.object)
	return track(&Ring{object: o, ctx: c, ring: entries, state: s}, o), nil
}

func (r *Ring) core() *object {
	if r == nil {
		return nil
	}
	return r.object
}

// String returns the ring's name: "ring 1 on mlx5_0".
func (r *Ring) String() string { return r.core().String() }

// Context returns the context that the ring was made from.
func (r *Ring) Context() *Context {
	if r == nil {
		return nil
	}
	return r.ctx
}

// Entries returns how many completions the ring has room for, which is at least what was asked for; also after Close.
func (r *Ring) Entries() int {
	if r == nil || r.ring == nil {
		return 0
	}
	return r.ring.Len()
}

// Close ends the thread, which wakes who waits, and destroys its channel (ibv_destroy_comp_channel). While CQs of the ring are open it fails with EBUSY and names them, or some of
// many. What the thread has taken is still given out, and then [ErrClosed]. Closing it again does nothing.
func (r *Ring) Close() error {
	return r.core().close(cverbs.VerbDestroyCompChannel, func() error {
		s := r.state
		// The thread, which has no queues, does not use the channel. Should it stay, so does the thread.
		err := s.destroyChannel()
		if err != nil && !r.home.gone(err) {
			return err
		}
		s.forget()
		s.poller.Stop()
		return err
	})
}

// RingStats counts what a ring's thread has done since the ring was made.
type RingStats struct {
	Taken  uint64 // completions that were put into the ring
	Stalls uint64 // times that the ring has become full
	Full   uint64 // looks at its CQs that the thread has not taken since it was
	Sleeps uint64 // times that the thread has gone to sleep
	Wakes  uint64 // times that it has woken who waits
}

// Stats returns the counters; also after Close. Those of one call need not belong to the same moment.
func (r *Ring) Stats() RingStats {
	if r == nil || r.ring == nil {
		return RingStats{}
	}
	s := r.state.poller.Stats()
	return RingStats{Taken: r.ring.Produced(), Stalls: s.Stalls, Full: s.Full, Sleeps: s.Sleeps, Wakes: s.Wakes}
}
