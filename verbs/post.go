package verbs

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A sendQueue is where a QP's sends are posted. It is apart from the handle, since CQs point to it.
type sendQueue struct {
	mu      queueMutex // of posts, which enter no guard; taken within the lock of the CQ's guard, if both
	closed  bool
	home    *home
	name    string // of the QP
	number  uint32 // of the QP
	raw     *ibv.QP
	ex      *ibv.QPEx                // of a QP whose requests are built: see build; else nil
	ops     ibv.QPCreateSendOpsFlags // that it was created with then
	noLists bool                     // requests with several elements are posted by ibv_post_send all the same
	cap     ibv.QPCap
	one     *SendRequests // memory for a single request
	// Errors for a queue without room, the same each time: who waits for room asks often.
	full, stuck error
	slots
}

// errPartial is what some providers do: siw may answer success and name a refused request all the same.
var errPartial = errors.New("the provider reported success, but took only a part")

// PostSend posts a chain of requests to the send queue, with one call of ibv_post_send, and returns how many were accepted: with an error
// that is also the index of the first that was not. Accepted requests are under way, whatever the error.
//
// The error matches ErrQueueFull if there was no room: a request takes a place of the queue until the completion of the first signalled
// request from it on has been polled, even if the device could forget it sooner. That is known beforehand, and the requests that have no
// room are not given to the device.
//
// Refused with EINVAL, and none posted: no chain; a QP in IBV_QPS_RESET, IBV_QPS_INIT or IBV_QPS_RTR; a request with more elements or inline
// bytes than [QP.Cap] has. In IBV_QPS_ERR requests are accepted and complete with IBV_WC_WR_FLUSH_ERR. The data of requests without
// IBV_SEND_INLINE has to stay in place until they have completed.
//
// A QP with [QPAttr.SendOps] posts by ibv_wr_start, the calls that build each request, and ibv_wr_complete instead, in one call of C as well. It
// is all or none then: if the device refuses a request, or one is not among the operations, none is accepted.
//
// Several goroutines may post to one QP, each with its own chain; their chains are not interleaved. Whoever posts one and the same chain time after time is
// spared a lock that chains in turns take. Nothing is allocated unless it fails, but for 64 bytes when that begins.
func (q *QP) PostSend(r *SendRequests) (int, error) {
	if q == nil || q.sq == nil {
		_, err := q.sending()
		return 0, err
	}
	s := q.sq
	chain := chainOf(r)
	term := s.mu.bias.enter(chain)
	if term == nil {
		s.mu.Lock()
	}
	n, err := s.post(r)
	if term != nil {
		term.leave()
	} else {
		s.mu.unlockAfter(chain)
	}
	runtime.KeepAlive(r) // a refusal may have looked at a request last
	return n, err
}

// Send posts one request, as PostSend does, from memory of the QP's own.
func (q *QP) Send(wr SendWR) error {
	s, err := q.sending()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed: // post says so
	case len(wr.SGList) > int(s.cap.MaxSendSGE):
		return s.tooLong(0, len(wr.SGList), 0)
	case len(wr.Inline) > int(s.cap.MaxInlineData):
		return s.tooLong(0, 0, len(wr.Inline))
	default:
		// What was posted before does not count.
		s.one.mostSGE, s.one.mostInline = 0, 0
		if err := s.one.Set(0, wr); err != nil {
			return err
		}
	}
	_, err = s.post(s.one)
	return err
}

// sending is the send queue of a QP that has one.
func (q *QP) sending() (*sendQueue, error) {
	switch {
	case q == nil || q.object == nil:
		return nil, &Error{Verb: cverbs.VerbPostSend.String(), Object: q.core().String(), Err: ErrClosed}
	case q.sq == nil:
		return nil, refused(cverbs.VerbPostSend, q.name, syscall.EINVAL, "a QP with an indirection table has no queues")
	}
	return q.sq, nil
}

// post posts what r has. The caller has mu.
func (s *sendQueue) post(r *SendRequests) (int, error) {
	if !s.plain(r) || !sends(s.raw) {
		return s.postOther(r)
	}
	p := cverbs.SendPost{QP: s.raw, WR: unsafe.SliceData(r.wrs)}
	if result := p.Call(); result != 0 || p.Bad != nil {
		return s.rejected(r, cverbs.Posted(int(result)), p.Bad)
	}
	n := int(r.chain.N)
	if n == 1 {
		s.acceptOne(&r.chain)
	} else {
		s.accept(r, n)
	}
	return n, nil
}

// unusual is what a queue takes that wants a second look at each request: none fits.
const unusual = math.MaxUint64

// bounds are a queue's for a request's elements and inline bytes, in one word, and never 0, which chains begin with.
func bounds(c *ibv.QPCap) uint64 {
	return uint64(min(c.MaxSendSGE, math.MaxInt32))<<32 + uint64(c.MaxInlineData) + 1
}

// plain reports whether r is to be posted without a second look: all of it fits and has room, as far as is known without a look at what has
// ended meanwhile.
func (s *sendQueue) plain(r *SendRequests) bool {
	return r != nil && (r.chain.Fits == s.Takes || s.fit(r)) && r.chain.N <= s.left()
}

// fit reports whether r fits, and notes it, unless it has no requests.
func (s *sendQueue) fit(r *SendRequests) bool {
	if s.Takes == unusual || r.chain.N == 0 || int64(r.mostSGE) > int64(s.cap.MaxSendSGE) || r.mostInline > s.cap.MaxInlineData {
		return false
	}
	r.chain.Fits = s.Takes
	return true
}

// sends reports whether a QP is in a state in which it takes sends.
func sends(qp *ibv.QP) bool {
	return uint32(qpState(qp)-ibv.IBV_QPS_RTS) <= uint32(ibv.IBV_QPS_ERR-ibv.IBV_QPS_RTS)
}

// postOther is post of what is not plain, or not to be posted so. It knows all reasons to refuse requests.
func (s *sendQueue) postOther(r *SendRequests) (int, error) {
	if err := s.refuse(r); err != nil {
		return 0, err
	}
	n := r.Len()
	fit := s.free(n)
	if fit <= 0 {
		if n == 0 {
			return 0, nil
		}
		return 0, s.noRoom(0)
	}
	if s.ex != nil && !(s.noLists && r.mostSGE > 1) {
		return s.build(r, fit)
	}
	if fit < n {
		r.cut(fit)
	}
	p := cverbs.SendPost{QP: s.raw, WR: &r.wrs[0]}
	result := p.Call()
	runtime.KeepAlive(r)
	if fit < n {
		r.join(fit)
	}
	if result == 0 && p.Bad == nil {
		s.accept(r, fit)
		if fit < n {
			return fit, s.noRoom(fit)
		}
		return n, nil
	}
	return s.rejected(r, cverbs.Posted(int(result)), p.Bad)
}

// refuse refuses what the device would, or should.
func (s *sendQueue) refuse(r *SendRequests) error {
	if s.closed {
		return &Error{Verb: cverbs.VerbPostSend.String(), Object: s.name, Err: ErrClosed}
	}
	if r == nil || len(r.wrs) == 0 {
		return refused(cverbs.VerbPostSend, s.name, syscall.EINVAL, "there are no requests")
	}
	switch state := qpState(s.raw); state {
	case ibv.IBV_QPS_RESET, ibv.IBV_QPS_INIT, ibv.IBV_QPS_RTR:
		return refused(cverbs.VerbPostSend, s.name, syscall.EINVAL, fmt.Sprintf("the QP is in %v, and sends from IBV_QPS_RTS on", state))
	}
	if i := r.unfit(s.cap.MaxSendSGE, s.cap.MaxInlineData); i >= 0 {
		w := &r.wrs[i]
		inline := 0
		if w.SendFlags&ibv.IBV_SEND_INLINE != 0 {
			inline = int(inlineLength(w))
		}
		return s.tooLong(i, int(w.NumSGE), inline)
	}
	return nil
}

func (s *sendQueue) tooLong(i, sges, inline int) error {
	hint := fmt.Sprintf("request %d has %d elements, and the queue allows %d: see QPAttr.MaxSendSGE", i, sges, s.cap.MaxSendSGE)
	if inline > int(s.cap.MaxInlineData) {
		hint = fmt.Sprintf("request %d has %d bytes of inline data, and the queue allows %d: see QPAttr.MaxInlineData", i, inline, s.cap.MaxInlineData)
	}
	return refused(cverbs.VerbPostSend, s.name, syscall.EINVAL, hint)
}

// noRoom is the error for request i of a chain, which free has found no room for.
func (s *sendQueue) noRoom(i int) error {
	stuck := s.All == 0 && s.Signalled == s.seen // no completion will ever come
	switch {
	case i > 0:
		return noRoom(s.name, i, s.room, stuck)
	case stuck:
		return s.stuck
	}
	return s.full
}

func noRoom(name string, i int, room uint64, stuck bool) error {
	hint := fmt.Sprintf("request %d has no room: all %d places are taken", i, room)
	switch {
	case room == 0:
		hint = "the queue has no places: see QPAttr.MaxSendWR"
	case stuck:
		hint += ", and no completion will free them: none of the requests there has IBV_SEND_SIGNALED"
	default:
		hint += " until completions are polled"
	}
	return queueFull(cverbs.VerbPostSend, name, hint)
}

// rejected makes the result of a post of which the device did not take all.
func (s *sendQueue) rejected(r *SendRequests, errno syscall.Errno, bad *ibv.SendWR) (int, error) {
	n := 0
	if bad != nil {
		i, ok := r.index(bad)
		if ok {
			n = i
		} else {
			s.giveUp() // who knows how many it took
		}
	}
	s.accept(r, n)
	return n, s.home.rejection(cverbs.VerbPostSend, s.name, errno, n, r.Len(), sendHint(&r.wrs[n], errno))
}

// sendHint tells what the device has refused, and the likely cause: numbers of elements and bytes were looked at before.
func sendHint(w *ibv.SendWR, errno syscall.Errno) string {
	hint := w.Opcode.String()
	switch {
	case errno == syscall.ENOMEM:
		hint += ": the device has no room for it: see QPAttr.MaxSendWR"
	case errno != syscall.EINVAL:
	case w.Opcode == ibv.IBV_WR_RDMA_READ && w.SendFlags&ibv.IBV_SEND_INLINE != 0:
		hint += " with IBV_SEND_INLINE, which is for what is sent"
	default:
		hint += ": likely the device does not have it, or not with these flags"
	}
	return hint
}

// rejection is the error of a post that took the first n requests of all. about tells of the one that was refused.
func (h *home) rejection(v cverbs.Verb, name string, errno syscall.Errno, n, all int, about string) error {
	hint := about
	if all > 1 {
		hint = strings.TrimSuffix(fmt.Sprintf("request %d of %d was the first that was refused, counting from 0: %s", n, all, about), ": ")
	}
	switch errno {
	case 0:
		return &Error{Verb: v.String(), Object: name, Err: errPartial, Hint: hint}
	case syscall.ENOMEM:
		return queueFull(v, name, hint)
	}
	return hinted(h.failed(v, name, v.Failed(errno)), hint)
}

func queueFull(v cverbs.Verb, name, hint string) error {
	return &Error{Verb: v.String(), Object: name, Errno: syscall.ENOMEM, Err: ErrQueueFull, Hint: hint}
}

// qpState is the state that the library keeps.
func qpState(qp *ibv.QP) ibv.QPState {
	return ibv.QPState(atomic.LoadUint32((*uint32)(&qp.State)))
}
