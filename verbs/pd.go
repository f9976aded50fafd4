package verbs

import (
	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A PD is a protection domain: queues reach only the memory that is registered in their own. All methods may be called by several
// goroutines at once.
type PD struct {
	*object
	raw *ibv.PD
	ctx *Context
}

// AllocPD makes a protection domain (ibv_alloc_pd).
func (c *Context) AllocPD() (*PD, error) {
	const verb = cverbs.VerbAllocPD
	if err := begin(verb, c.core()); err != nil {
		return nil, err
	}
	defer end(c.core())
	raw, err := cverbs.AllocPD(c.raw)
	if err != nil {
		return nil, c.failed(verb, err)
	}
	o := newObject(c.home, c.home.name("pd"), c.object)
	return track(&PD{object: o, raw: raw, ctx: c}, o), nil
}

func (p *PD) core() *object {
	if p == nil {
		return nil
	}
	return p.object
}

// String returns the domain's name: "pd 1 on mlx5_0".
func (p *PD) String() string { return p.core().String() }

// Context returns the context that the domain was made from.
func (p *PD) Context() *Context {
	if p == nil {
		return nil
	}
	return p.ctx
}

// Raw returns the C object, which is valid until Close, or nil if the domain is closed.
func (p *PD) Raw() *ibv.PD {
	if !p.core().enter() {
		return nil
	}
	defer p.leave(0)
	return p.raw
}

// Close frees the domain (ibv_dealloc_pd), after the calls under way. While memory or queues in it are open it fails with EBUSY and names
// them, or some of many. Closing it again does nothing.
func (p *PD) Close() error {
	return p.core().close(cverbs.VerbDeallocPD, func() error { return cverbs.DeallocPD(p.raw) })
}
