package verbs

import (
	"fmt"
	"strings"
	"syscall"
	"weak"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A WQ is a work queue of type IBV_WQT_RQ: a receive queue that stands alone, to be filled through an indirection table. All methods may be
// called by any goroutines at the same time. Only some devices have WQs: mlx5, mlx4 and mana.
type WQ struct {
	*object
	raw           *ibv.WQ
	pd            *PD
	cq            *CQ
	rq            *recvQueue
	attr          WQAttr
	maxWR, maxSGE uint32
}

// WQAttr says what a WQ is to be like.
type WQAttr struct {
	// IBV_WQT_RQ, which is zero, is the only type there is.
	Type ibv.WQType
	// How many receives may be outstanding, and how many elements each may have, 0 being 1. The device may give more: see WQ.MaxWR
	// and WQ.MaxSGE.
	MaxWR, MaxSGE int
	// What the receives' buffers belong to.
	PD *PD
	// Where receives complete. It may serve other queues as well.
	CQ *CQ
	// Offloads wanted. If there are any, IBV_WQ_INIT_ATTR_FLAGS is set: the device refuses those that it lacks, and ignores none.
	Flags ibv.WQFlags
}

// wqFlagsEnd is the bit behind the last flag: what C calls IBV_WQ_FLAGS_RESERVED.
const wqFlagsEnd = ibv.IBV_WQ_FLAGS_PCI_WRITE_END_PADDING << 1

// CreateWQ creates a WQ with ibv_create_wq, in state IBV_WQS_RESET. The domain and the CQ cannot be closed before it. ErrNotSupported: the
// device has no WQs.
//
// Refused with EINVAL: no PD or CQ, or one of another context; a number outside of uint32; flags from IBV_WQ_FLAGS_RESERVED on, which is no
// flag, but the place of the next one. The hint of what the device refuses compares with the device's limits.
func (c *Context) CreateWQ(attr WQAttr) (*WQ, error) {
	w, err := c.createWQ(attr)
	if err != nil {
		return nil, err
	}
	w.cq.serve(nil)
	return w, nil
}

// createWQ makes the handle, within calls on all that the WQ needs.
func (c *Context) createWQ(attr WQAttr) (*WQ, error) {
	v := cverbs.VerbCreateWQ
	init, err := attr.init(v, c.core())
	if err != nil {
		return nil, err
	}
	needs := []*object{attr.PD.core(), attr.CQ.core()}
	if err := begin(v, append(needs, c.core())...); err != nil {
		return nil, err
	}
	defer end(append(needs, c.object)...)
	if err := sameHome(v, c.object, needs...); err != nil {
		return nil, err
	}
	init.PD, init.CQ = attr.PD.raw, attr.CQ.raw
	raw, err := cverbs.CreateWQ(c.raw, init)
	if err != nil {
		return nil, c.wqLimits(c.failed(v, err), &attr)
	}
	// The requests' memory is made last, so that it is the WQ that has to be given back if there is none.
	one, err := NewRecvRequests(1, int(init.MaxSGE))
	if err != nil {
		_ = cverbs.DestroyWQ(raw)
		return nil, creating(err, v, c.name)
	}
	o := newObject(c.home, fmt.Sprintf("wq %#06x on %s", raw.WQNum, c.home.device), needs...)
	rq := &recvQueue{verb: cverbs.VerbPostWQRecv, home: c.home, name: o.name, wq: raw, maxSGE: init.MaxSGE, one: one}
	w := track(&WQ{object: o, raw: raw, pd: attr.PD, cq: attr.CQ, rq: rq, attr: attr, maxWR: init.MaxWR, maxSGE: init.MaxSGE}, o)
	c.async.note(addressOf(raw), target{object: o, wq: weak.Make(w)})
	return w, nil
}

// init is the attributes in C's form, but for the objects.
func (a *WQAttr) init(v cverbs.Verb, on *object) (*ibv.WQInitAttr, error) {
	r := &ibv.WQInitAttr{WQType: a.Type}
	switch {
	case a.PD == nil:
		return r, refused(v, on.String(), syscall.EINVAL, "WQAttr.PD is nil")
	case a.CQ == nil:
		return r, refused(v, on.String(), syscall.EINVAL, "WQAttr.CQ is nil")
	case a.Flags >= wqFlagsEnd:
		return r, refused(v, on.String(), syscall.EINVAL, fmt.Sprintf(
			"WQAttr.Flags %v: IBV_WQ_FLAGS_RESERVED, %#x, and above are no flags", a.Flags, uint32(wqFlagsEnd)))
	}
	if a.Flags != 0 {
		r.CompMask, r.CreateFlags = ibv.IBV_WQ_INIT_ATTR_FLAGS, a.Flags
	}
	return r, uint32s(v, on, []number{{"WQAttr.MaxWR", a.MaxWR, &r.MaxWR}, {"WQAttr.MaxSGE", orOne(a.MaxSGE), &r.MaxSGE}})
}

// wqLimits adds to an error what may be its reason.
func (c *Context) wqLimits(err error, a *WQAttr) error {
	var hints []string
	switch errnoOf(err) {
	case syscall.EINVAL, syscall.ENOMEM:
		d := new(ibv.DeviceAttrEx)
		if cverbs.QueryDeviceEx(c.raw, nil, d) != nil {
			return err
		}
		hints = append(above("WQAttr.MaxWR", a.MaxWR, "max_qp_wr", d.OrigAttr.MaxQPWR), above("WQAttr.MaxSGE", a.MaxSGE, "max_sge", d.OrigAttr.MaxSGE)...)
		if errnoOf(err) == syscall.ENOMEM && len(hints) == 0 {
			hints = []string{fmt.Sprintf("the device has max_wq_type_rq %d", d.MaxWQTypeRQ)}
		}
	case 0:
		hints = []string{"the provider gave no reason"}
	case syscall.EOPNOTSUPP:
		if a.Flags != 0 {
			hints = []string{fmt.Sprintf("the device has no WQs, or not %v", a.Flags)}
		}
	}
	if a.Type != ibv.IBV_WQT_RQ {
		hints = append(hints, fmt.Sprintf("WQAttr.Type is %v, and only IBV_WQT_RQ is known", a.Type))
	}
	return hinted(err, strings.Join(hints, "; "))
}

func (w *WQ) core() *object {
	if w == nil {
		return nil
	}
	return w.object
}

// String is the WQ's name, with its number: "wq 0x00002a on mlx5_0".
func (w *WQ) String() string { return w.core().String() }

// Raw returns the C object, which is valid until Close, or nil if the WQ is closed.
func (w *WQ) Raw() *ibv.WQ {
	if !w.core().enter() {
		return nil
	}
	defer w.leave(0)
	return w.raw
}

// PD is what its receives' buffers belong to.
func (w *WQ) PD() *PD {
	if w == nil {
		return nil
	}
	return w.pd
}

// CQ is where its receives complete.
func (w *WQ) CQ() *CQ {
	if w == nil {
		return nil
	}
	return w.cq
}

// Attr is what was asked for.
func (w *WQ) Attr() WQAttr {
	if w == nil {
		return WQAttr{}
	}
	return w.attr
}

// MaxWR is how many receives may be outstanding, which may be more than was asked for.
func (w *WQ) MaxWR() int {
	if w == nil {
		return 0
	}
	return int(w.maxWR)
}

// MaxSGE is how many elements a receive may have, which may be more than was asked for.
func (w *WQ) MaxSGE() int {
	if w == nil {
		return 0
	}
	return int(w.maxSGE)
}

// Num is the device's number for the queue, which completions have as their QPNum, in host order; 0 if the WQ is closed.
func (w *WQ) Num() uint32 {
	if !w.core().enter() {
		return 0
	}
	defer w.leave(0)
	return w.raw.WQNum
}

// State is the state that the WQ was last put in; IBV_WQS_UNKNOWN if the WQ is closed. After an error the device has moved it to IBV_WQS_ERR,
// which IBV_EVENT_WQ_FATAL says.
func (w *WQ) State() ibv.WQState {
	if !w.core().enter() {
		return ibv.IBV_WQS_UNKNOWN
	}
	defer w.leave(0)
	return wqState(w.raw)
}

// Close destroys the WQ with ibv_destroy_wq, after the calls and posts under way. What is outstanding does not complete, and completions
// that were not polled yet may be gone. A second call does nothing. EBUSY: an indirection table holds it. On any error the WQ stays as it
// was.
func (w *WQ) Close() error {
	return w.core().close(cverbs.VerbDestroyWQ, func() error {
		w.rq.mu.Lock()
		defer w.rq.mu.Unlock()
		err := cverbs.DestroyWQ(w.raw)
		if err != nil && !w.home.gone(err) {
			return err
		}
		w.rq.closed = true
		w.pd.ctx.async.forget(addressOf(w.raw), w.object)
		return err
	})
}
