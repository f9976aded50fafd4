package verbs

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/goverbs/ibv"
)

// A leadership is who takes a channel's events. Of those that wait for its CQs one leads: it waits for the descriptor in Go's poller, and
// takes the events of all, until there is one for itself or it has another reason to leave; then another one leads. So no goroutine
// stands between an event and who waits for it, and nobody takes events while nobody waits: what a CQ's destruction waits for are only
// those that were taken.
type leadership struct {
	raw    *ibv.CompChannel
	file   *os.File // a duplicate of raw's descriptor
	conn   syscall.RawConn
	lead   chan struct{}            // holds a token while nobody leads; who has it owns what follows
	leader atomic.Pointer[cqEvents] // the CQ that the leader waits for, so that others know whom to interrupt
	take1  func(uintptr) bool       // takeOwn, made once
	cq     *ibv.CQ                  // where events are put
	number uintptr
	failed syscall.Errno
	slept  bool // the leader has found no event, and waits for the poller
	came   bool // there is one, which can only be for its CQ, and has not been taken

	watched <-chan struct{} // of the context whose end interrupts the leader; it is kept for the next leader, which often has the same
	unwatch func() bool
}

// open has the channel's events taken from now on.
func (e *channelEvents) open(raw *ibv.CompChannel) error {
	file, conn, err := pollable(raw.FD, e.name)
	if err != nil {
		return err
	}
	e.leadership = leadership{raw: raw, file: file, conn: conn, lead: make(chan struct{}, 1), take1: e.takeOwn}
	e.lead <- struct{}{}
	return nil
}

// shut is for a channel that was destroyed. The caller keeps the token, so that nobody will lead again.
func (e *channelEvents) shut() {
	e.file.Close()
	if e.unwatch != nil {
		e.unwatch()
	}
}

// leadFor takes events until there is the token of q, or ctx is done, or q's CQ is closed, or the device lost, or no more events can be
// taken. The caller has taken the lead. It returns true if there is an event that was not taken: then the CQ is to be polled, and the event is
// left to whoever arms the CQ next. Taking it first would keep a goroutine waiting that has something to do.
//
// Whoever gives the leader such a reason does so before interrupt. This sets a deadline in the past, which ends the reading; undoing it
// comes before looking for reasons, so that none is missed.
func (e *channelEvents) leadFor(ctx context.Context, q *cqEvents) (came bool) {
	e.leader.Store(q)
	e.watch(ctx)
	e.slept, e.came = false, false
	for !e.came && !e.reason(ctx, q) {
		err := e.conn.Read(e.take1)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = e.file.SetReadDeadline(time.Time{})
		}
		if err == nil && e.failed != 0 {
			err = e.failed
		}
		if err != nil {
			e.end(err)
		}
	}
	came = e.came
	e.leader.Store(nil)
	e.lead <- struct{}{}
	return came
}

// reason reports whether the leader has one to leave.
func (e *channelEvents) reason(ctx context.Context, q *cqEvents) bool {
	return len(q.wake) > 0 || ctx.Err() != nil || isClosed(q.closed) || isClosed(e.ended) || isClosed(e.home.fatal)
}

// takeOwn takes events until there is one for the leader, or none at all, when it returns false, so that the poller waits for more. The
// poller tells of changes, not of what there is; but each reading begins by taking what is there. Once it has slept, and the channel has no
// other CQ, it takes nothing: see leadFor.
func (e *channelEvents) takeOwn(uintptr) bool {
	q := e.leader.Load()
	if e.slept && e.served.Load() == 1 {
		e.came = true
		return true
	}
	for len(q.wake) == 0 {
		switch errno := e.take(); errno {
		case 0, syscall.EINTR:
		case syscall.EAGAIN:
			e.slept = true
			return false
		default:
			e.failed = errno
			return true
		}
	}
	return true
}

// drain takes the events that are there, unless somebody leads, who does that anyway.
func (e *channelEvents) drain() {
	select {
	case <-e.lead:
	default:
		return
	}
	for !isClosed(e.ended) {
		errno := e.take()
		if errno == syscall.EAGAIN {
			break
		}
		if errno != 0 && errno != syscall.EINTR {
			e.end(errno)
		}
	}
	e.lead <- struct{}{}
}

// interrupt has the leader look for reasons.
func (e *channelEvents) interrupt() { e.file.SetReadDeadline(time.Unix(1, 0)) }

// watch has the end of ctx interrupt whoever leads then.
func (e *channelEvents) watch(ctx context.Context) {
	done := ctx.Done()
	if done == nil || done == e.watched {
		return
	}
	if e.unwatch != nil {
		e.unwatch()
	}
	e.watched, e.unwatch = done, context.AfterFunc(ctx, e.interrupt)
}
