package verbs

import (
	"fmt"
	"math/bits"
	"runtime"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A RWQIndTable is an indirection table: it says which WQ receives the packets with a hash. All methods may be called by any goroutines at
// the same time.
type RWQIndTable struct {
	*object
	raw *ibv.RWQIndTable
	wqs []*WQ
}

// CreateRWQIndTable creates a table of the WQs in their order with ibv_create_rwq_ind_table. A WQ may stand in it several times, and none can
// be closed before it. ErrNotSupported: the device has no such tables.
//
// Refused with EINVAL: a number of WQs that is no power of two, one that is nil, or of another context.
func (c *Context) CreateRWQIndTable(wqs ...*WQ) (*RWQIndTable, error) {
	v := cverbs.VerbCreateRWQIndTable
	if bits.OnesCount(uint(len(wqs))) != 1 {
		return nil, refused(v, c.core().String(), syscall.EINVAL, fmt.Sprintf("%d work queues: the number has to be a power of two", len(wqs)))
	}
	parents, raws := make([]*object, len(wqs)), make([]*ibv.WQ, len(wqs))
	for i, w := range wqs {
		if w == nil {
			return nil, refused(v, c.core().String(), syscall.EINVAL, fmt.Sprintf("work queue %d is nil", i))
		}
		parents[i], raws[i] = w.core(), w.raw
	}
	parents = append(parents, c.core())
	if err := begin(v, parents...); err != nil {
		return nil, err
	}
	defer end(parents...)
	if err := sameHome(v, c.object, parents...); err != nil {
		return nil, err
	}
	raw, err := c.createTable(raws)
	if err != nil {
		return nil, c.tableLimits(c.failed(v, err), len(wqs))
	}
	o := newObject(c.home, fmt.Sprintf("rwq_ind_table %d on %s", raw.IndTblNum, c.home.device), parents...)
	return track(&RWQIndTable{object: o, raw: raw, wqs: append([]*WQ(nil), wqs...)}, o), nil
}

// createTable calls C, which reads the list during the call only.
func (c *Context) createTable(wqs []*ibv.WQ) (*ibv.RWQIndTable, error) {
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinner.Pin(&wqs[0])
	return cverbs.CreateRWQIndTable(c.raw, &ibv.RWQIndTableInitAttr{LogIndTblSize: uint32(bits.TrailingZeros(uint(len(wqs)))), IndTbl: &wqs[0]})
}

// tableLimits adds to an error what may be its reason.
func (c *Context) tableLimits(err error, n int) error {
	if e := errnoOf(err); e != syscall.EINVAL && e != syscall.ENOMEM {
		return err
	}
	d := new(ibv.DeviceAttrEx)
	if cverbs.QueryDeviceEx(c.raw, nil, d) != nil {
		return err
	}
	hint := fmt.Sprintf("the device has max_rwq_indirection_tables %d", d.RSSCaps.MaxRWQIndirectionTables)
	if most := d.RSSCaps.MaxRWQIndirectionTableSize; int64(n) > int64(most) {
		hint = fmt.Sprintf("%d work queues are above the device's max_rwq_indirection_table_size %d", n, most)
	}
	return hinted(err, hint)
}

func (t *RWQIndTable) core() *object {
	if t == nil {
		return nil
	}
	return t.object
}

// String is the table's name, with its number: "rwq_ind_table 3 on mlx5_0".
func (t *RWQIndTable) String() string { return t.core().String() }

// Raw returns the C object, which is valid until Close, or nil if the table is closed.
func (t *RWQIndTable) Raw() *ibv.RWQIndTable {
	if !t.core().enter() {
		return nil
	}
	defer t.leave(0)
	return t.raw
}

// WQs are the table's entries; the caller may keep the slice.
func (t *RWQIndTable) WQs() []*WQ {
	if t == nil {
		return nil
	}
	return append([]*WQ(nil), t.wqs...)
}

// Close destroys the table with ibv_destroy_rwq_ind_table, after the calls under way. A second call does nothing. EBUSY: a QP holds it. On any
// error the table stays as it was.
func (t *RWQIndTable) Close() error {
	return t.core().close(cverbs.VerbDestroyRWQIndTable, func() error { return cverbs.DestroyRWQIndTable(t.raw) })
}
