package verbs

import (
	"errors"
	"fmt"
	"sync"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A CQEx is a completion queue that tells of a completion what was asked for when the queue was made, which may be more than [ibv.WC] has,
// and takes no time for the rest. [CQEx.CQ] is what queue pairs and work queues take. All methods may be called by several goroutines at
// once, Close among them, unless the queue is for a single thread.
type CQEx struct {
	cq     *CQ
	raw    *ibv.CQEx
	fields ibv.CreateCQWCFlags
	reads  ibv.CreateCQWCFlags // for PollCQEx: the fields, and how
	single bool
	busy   sync.Mutex // of a queue for a single thread: held while it is polled
}

// CQExAttr says what an extended completion queue is to be like.
type CQExAttr struct {
	CQAttr
	// What completions are to tell besides their WRID, status, opcode, flags and QP number, which they always do: IBV_WC_EX_WITH_BYTE_LEN and
	// others.
	Fields ibv.CreateCQWCFlags
	// The program sees to it that no two goroutines are at work on the queue at once: that one polls it, or waits for it, and none meanwhile
	// polls it by CQ, or closes or modifies a QP or WQ that uses it. The provider then takes no lock. Two that poll it by CQEx are found out: one
	// of them gets EBUSY.
	SingleThreaded bool
	// A completion for which there is no room takes the place of another, and nobody is told: no ErrCQOverrun. The program sees to it that
	// there is always room.
	IgnoreOverrun bool
}

// knownFields are those that WCEx has.
const knownFields = ibv.IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK<<1 - 1

// CreateCQEx makes an extended completion queue (ibv_create_cq_ex). ErrNotSupported: the device has none, or cannot tell what was asked for.
func (c *Context) CreateCQEx(attr CQExAttr) (*CQEx, error) {
	const verb = cverbs.VerbCreateCQEx
	if unknown := attr.Fields &^ knownFields; unknown != 0 {
		return nil, hinted(failed(verb, c.core().String(), syscall.EOPNOTSUPP), fmt.Sprintf("CQExAttr.Fields has %v, which nothing here reads", unknown))
	}
	// The number is for failed requests, and for the queues that are to know how many of theirs have ended.
	e := &CQEx{fields: attr.Fields | ibv.IBV_WC_EX_WITH_QP_NUM, single: attr.SingleThreaded}
	q, err := c.createCQ(verb, attr.CQAttr, nil, func(number uintptr, channel *ibv.CompChannel) (*ibv.CQ, error) {
		init := attr.init(e.fields)
		init.CQContext, init.Channel = number, channel
		raw, err := cverbs.CreateCQEx(c.raw, init)
		if err != nil {
			return nil, err
		}
		e.raw, e.reads = raw, e.fields|endsWrong(raw)
		return cverbs.CQExToCQ(raw), nil
	})
	if errors.Is(err, ErrNotSupported) {
		return nil, hinted(err, attr.unsupported(e.fields))
	}
	if err != nil {
		return nil, err
	}
	e.cq = q
	return e, nil
}

// init is the attributes in C's form. The mask has no bit for flags that are not there: a provider need not know of them.
func (a *CQExAttr) init(fields ibv.CreateCQWCFlags) *ibv.CQInitAttrEx {
	init := &ibv.CQInitAttrEx{CQE: uint32(a.CQE), CompVector: uint32(a.CompVector), WCFlags: uint64(fields), Flags: a.flags()}
	if init.Flags != 0 {
		init.CompMask = ibv.IBV_CQ_INIT_ATTR_MASK_FLAGS
	}
	return init
}

// unsupported is the hint of a device that cannot make such a queue.
func (a *CQExAttr) unsupported(fields ibv.CreateCQWCFlags) string {
	hint := fmt.Sprintf("likely the device cannot tell all of %v (CQExAttr.Fields)", fields)
	if flags := a.flags(); flags != 0 {
		hint += fmt.Sprintf(", or does not have %v", flags)
	}
	return hint
}

func (a *CQExAttr) flags() (f ibv.CreateCQAttrFlags) {
	if a.SingleThreaded {
		f |= ibv.IBV_CREATE_CQ_ATTR_SINGLE_THREADED
	}
	if a.IgnoreOverrun {
		f |= ibv.IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN
	}
	return f
}

func (c *CQEx) core() *object { return c.CQ().core() }

// String returns the queue's name: "cq 3 on mlx5_0".
func (c *CQEx) String() string { return c.core().String() }

// CQ is the same queue as an ordinary one, for queue pairs and work queues; nil if c is nil. Closing either closes both. Either may be
// polled: [CQ.Poll] gives everything that [ibv.WC] has, whatever was asked for, and each completion comes once.
func (c *CQEx) CQ() *CQ {
	if c == nil {
		return nil
	}
	return c.cq
}

// Fields is what completions tell: what was asked for, and IBV_WC_EX_WITH_QP_NUM; also after Close.
func (c *CQEx) Fields() ibv.CreateCQWCFlags {
	if c == nil {
		return 0
	}
	return c.fields
}

// Raw returns the C object, which is valid until Close, or nil if the queue is closed.
func (c *CQEx) Raw() *ibv.CQEx {
	if !c.core().enter() {
		return nil
	}
	defer c.cq.leave(0)
	return c.raw
}

// Close is [CQ.Close].
func (c *CQEx) Close() error { return c.CQ().Close() }
