package verbs

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
	"github.com/goverbs/ibv/internal/ring"
)

// A ringState is a ring's thread and what it needs. It does not point to any handle.
type ringState struct {
	home    *home
	name    string
	channel *ibv.CompChannel // nil if the thread never sleeps
	poller  *ring.Poller
	forget  func() // has nobody told of a lost device any more

	sends atomic.Pointer[ringSends] // whose completions are counted; nil: nobody's

	mu   sync.Mutex        // the following, and changes of sends
	cqs  map[uint64]string // the CQs' names, by the number that each has as its cq_context
	last uint64
}

// start makes the channel and starts the thread.
func (s *ringState) start(c *Context, entries *ring.Ring, attr RingAttr) error {
	const verb = cverbs.VerbCreateCompChannel
	if attr.Spin >= 0 {
		raw, err := cverbs.CreateCompChannel(c.raw)
		if err != nil {
			return c.failed(verb, err)
		}
		s.channel = raw
		if err := setNonblock(raw.FD); err != nil {
			_ = s.destroyChannel()
			return hinted(c.failed(verb, err), "its events cannot be read")
		}
	}
	p, err := ring.Start(entries, s.config(attr))
	if err != nil {
		_ = s.destroyChannel()
		hint := "the ring's thread cannot be started"
		if attr.CPU != nil {
			hint += ": it may not run on the processor of RingAttr.CPU, or there is none of that number"
		}
		return hinted(c.failed(verb, err), hint)
	}
	s.poller = p
	s.forget = s.home.whenLost(p.Wake)
	return nil
}

func (s *ringState) config(attr RingAttr) ring.Config {
	c := ring.Config{CPU: -1, Spin: attr.Spin}
	c.Poll, c.Arm, c.Take, c.Ack = cverbs.RingCalls()
	if attr.CPU != nil {
		c.CPU = *attr.CPU
	}
	switch {
	case s.channel == nil:
		c.Spin = time.Duration(math.MaxInt64)
	case attr.Spin == 0:
		c.Spin = DefaultRingSpin
	}
	if s.channel != nil {
		c.Channel, c.ChannelFD = unsafe.Pointer(s.channel), s.channel.FD
	}
	return c
}

func (s *ringState) destroyChannel() error {
	if s.channel == nil {
		return nil
	}
	return cverbs.DestroyCompChannel(s.channel)
}

// number gives a CQ that is about to be made its number, by which its events find it, and which is never another's.
func (s *ringState) number() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	return s.last
}

// take has the thread poll a CQ.
func (s *ringState) take(q *CQ) error {
	s.mu.Lock()
	s.cqs[uint64(q.number)] = q.name
	s.mu.Unlock()
	if err := s.poller.Add(uint64(q.number), unsafe.Pointer(q.raw)); err != nil {
		return err
	}
	if q.events.overrun.Load() { // if it could not be destroyed: the thread knows it anew
		s.poller.Overran(uint64(q.number))
	}
	return nil
}

// letGo undoes take: the thread does not use the CQ any more, and all events that it has taken are acknowledged.
func (s *ringState) letGo(q *CQ) {
	s.poller.Remove(uint64(q.number))
	s.mu.Lock()
	delete(s.cqs, uint64(q.number))
	s.mu.Unlock()
}

// error makes the error of what the thread has to tell. It is the consumer's.
func (s *ringState) error(n ring.News) error {
	s.mu.Lock()
	cq := s.cqs[n.ID]
	s.mu.Unlock()
	switch n.Kind {
	case ring.Overrun:
		s.lose(n.ID)
		return overrunError(cq)
	case ring.Poll:
		s.lose(n.ID)
		return hinted(s.home.failed(cverbs.VerbPollCQ, cq, cverbs.RingPollError(n.Value)), hintPollFailed)
	case ring.Arm:
		return s.home.failed(cverbs.VerbReqNotifyCQ, cq, cverbs.RingErrno(n.Value))
	}
	return hinted(s.home.failed(cverbs.VerbGetCQEvent, s.name, cverbs.RingErrno(n.Value)), "the ring's thread does not sleep any more")
}
