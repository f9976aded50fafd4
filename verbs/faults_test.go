//go:build linux && cgo

package verbs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

// A ward makes what a test of a failure needs, when it needs it, and closes it with the test.
type ward struct {
	testing.TB
	d *softdev.Device
	c *Context
}

func (w *ward) pd() *PD { return closing(w, must(w.c.AllocPD())) }
func (w *ward) cq() *CQ { return closing(w, must(w.c.CreateCQ(CQAttr{CQE: 8}))) }
func (w *ward) cqEx() *CQEx {
	return closing(w, must(w.c.CreateCQEx(CQExAttr{CQAttr: CQAttr{CQE: 64}})))
}
func (w *ward) wq() *WQ {
	return closing(w, must(w.c.CreateWQ(WQAttr{MaxWR: 4, PD: w.pd(), CQ: w.cq()})))
}
func (w *ward) table() *RWQIndTable { return closing(w, must(w.c.CreateRWQIndTable(w.wq()))) }
func (w *ward) qp() *QP {
	q := w.cq()
	return closing(w, must(w.pd().CreateQP(QPAttr{SendCQ: q, RecvCQ: q, MaxSendWR: 4, MaxRecvWR: 4})))
}

// rts is a QP that talks to itself.
func (w *ward) rts() *QP {
	q := w.qp()
	ok(w, q.Connect(must(q.Endpoint()), ConnectAttr{}))
	return q
}

// building is a QP that talks to itself, whose requests are built.
func (w *ward) building() *QP {
	c := w.cq()
	q := closing(w, must(w.pd().CreateQP(QPAttr{SendCQ: c, RecvCQ: c, MaxSendWR: 4, SendOps: ibv.IBV_QP_EX_WITH_RDMA_WRITE})))
	ok(w, q.Connect(must(q.Endpoint()), ConnectAttr{}))
	return q
}

// shut closes what an operation has made, and returns the operation's error.
func shut[T interface{ Close() error }](made T, err error) error {
	return errors.Join(err, made.Close())
}

// armed has a queue armed by one that waits for nothing.
func armed(q *CQ) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := q.Wait(ctx, make([]ibv.WC, 1))
	if errors.Is(err, context.Canceled) {
		return nil // arming has not failed
	}
	return err
}

// A call makes what a verb is called on, and then calls it.
type call func(w *ward) (on fmt.Stringer, op func() error)

// A fault is a verb that the package calls. destroys: it undoes what another has made, which a device that has the other always has, too.
type fault struct {
	verb     string
	call     call
	destroys bool
}

var faults = []fault{
	{"ibv_alloc_pd", func(w *ward) (fmt.Stringer, func() error) {
		return w.c, func() error { return shut(w.c.AllocPD()) }
	}, false},
	{"ibv_dealloc_pd", func(w *ward) (fmt.Stringer, func() error) { p := w.pd(); return p, p.Close }, true},
	{"ibv_reg_mr", func(w *ward) (fmt.Stringer, func() error) {
		p := w.pd()
		return p, func() error { return shut(p.AllocMR(4096, ibv.IBV_ACCESS_LOCAL_WRITE)) }
	}, false},
	{"ibv_reg_mr", func(w *ward) (fmt.Stringer, func() error) {
		p := w.pd()
		return p, func() error { return shut(p.RegMR(make([]byte, 100), ibv.IBV_ACCESS_LOCAL_WRITE)) }
	}, false},
	{"ibv_dereg_mr", func(w *ward) (fmt.Stringer, func() error) {
		m := closing(w, must(w.pd().AllocMR(4096, 0)))
		return m, m.Close
	}, true},
	{"ibv_create_comp_channel", func(w *ward) (fmt.Stringer, func() error) {
		return w.c, func() error { return shut(w.c.CreateCompChannel()) }
	}, false},
	{"ibv_destroy_comp_channel", func(w *ward) (fmt.Stringer, func() error) {
		c := closing(w, must(w.c.CreateCompChannel()))
		return c, c.Close
	}, true},
	{"ibv_create_cq", func(w *ward) (fmt.Stringer, func() error) {
		return w.c, func() error { return shut(w.c.CreateCQ(CQAttr{CQE: 1})) }
	}, false},
	{"ibv_destroy_cq", func(w *ward) (fmt.Stringer, func() error) { q := w.cq(); return q, q.Close }, true},
	{"ibv_poll_cq", func(w *ward) (fmt.Stringer, func() error) {
		q := w.cq()
		return q, func() error { _, err := q.Poll(make([]ibv.WC, 4)); return err }
	}, false},
	{"ibv_poll_cq", func(w *ward) (fmt.Stringer, func() error) {
		q := w.cq()
		return q, func() error { _, err := q.PollSpin(make([]ibv.WC, 4), 0); return err }
	}, false},
	{"ibv_create_cq_ex", func(w *ward) (fmt.Stringer, func() error) {
		return w.c, func() error { return shut(w.c.CreateCQEx(CQExAttr{CQAttr: CQAttr{CQE: 1}})) }
	}, false},
	{"ibv_start_poll", func(w *ward) (fmt.Stringer, func() error) {
		q := w.cqEx()
		return q, func() error { _, err := q.Poll(make([]WCEx, 4)); return err }
	}, false},
	{"ibv_next_poll", func(w *ward) (fmt.Stringer, func() error) {
		q := w.cqEx()
		return q, func() error {
			push(w, w.d, q.cq, 1, 2, 3)
			_, err := q.Poll(make([]WCEx, 4))
			return err
		}
	}, false},
	{"ibv_req_notify_cq", func(w *ward) (fmt.Stringer, func() error) {
		q := testCQ(w, w.c, 8, true)
		return q, func() error { return armed(q) }
	}, false},
	{"ibv_create_qp", func(w *ward) (fmt.Stringer, func() error) {
		p, q := w.pd(), w.cq()
		return p, func() error { return shut(p.CreateQP(QPAttr{SendCQ: q, RecvCQ: q, MaxSendWR: 1, MaxRecvWR: 1})) }
	}, false},
	{"ibv_modify_qp", func(w *ward) (fmt.Stringer, func() error) {
		q := w.qp()
		return q, func() error { return q.Init(ConnectAttr{}) }
	}, false},
	{"ibv_query_qp", func(w *ward) (fmt.Stringer, func() error) {
		q := w.qp()
		return q, func() error { _, _, err := q.Query(ibv.IBV_QP_STATE); return err }
	}, false},
	{"ibv_destroy_qp", func(w *ward) (fmt.Stringer, func() error) { q := w.qp(); return q, q.Close }, true},
	{"ibv_post_send", func(w *ward) (fmt.Stringer, func() error) {
		q := w.rts()
		return q, func() error { return q.Send(SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE}) }
	}, false},
	{"ibv_create_qp_ex", func(w *ward) (fmt.Stringer, func() error) {
		p, q := w.pd(), w.cq()
		return p, func() error {
			return shut(p.CreateQP(QPAttr{SendCQ: q, RecvCQ: q, MaxSendWR: 1, SendOps: ibv.IBV_QP_EX_WITH_SEND}))
		}
	}, false},
	{"ibv_qp_to_qp_ex", func(w *ward) (fmt.Stringer, func() error) {
		p, q := w.pd(), w.cq()
		return p, func() error {
			return shut(p.CreateQP(QPAttr{SendCQ: q, RecvCQ: q, MaxSendWR: 1, SendOps: ibv.IBV_QP_EX_WITH_SEND}))
		}
	}, false},
	{"ibv_wr_complete", func(w *ward) (fmt.Stringer, func() error) {
		q := w.building()
		return q, func() error { return q.Send(SendWR{Opcode: ibv.IBV_WR_RDMA_WRITE}) }
	}, false},
	{"ibv_post_recv", func(w *ward) (fmt.Stringer, func() error) {
		q := w.rts()
		return q, func() error { return q.Recv(RecvWR{}) }
	}, false},
	{"ibv_create_wq", func(w *ward) (fmt.Stringer, func() error) {
		p, q := w.pd(), w.cq()
		return w.c, func() error { return shut(w.c.CreateWQ(WQAttr{MaxWR: 1, PD: p, CQ: q})) }
	}, false},
	{"ibv_modify_wq", func(w *ward) (fmt.Stringer, func() error) {
		q := w.wq()
		return q, func() error { return q.Modify(WQModify{State: new(ibv.IBV_WQS_RDY)}) }
	}, false},
	{"ibv_post_wq_recv", func(w *ward) (fmt.Stringer, func() error) {
		q := w.wq()
		ok(w, q.Modify(WQModify{State: new(ibv.IBV_WQS_RDY)}))
		return q, func() error { return q.Recv(RecvWR{}) }
	}, false},
	{"ibv_destroy_wq", func(w *ward) (fmt.Stringer, func() error) { q := w.wq(); return q, q.Close }, true},
	{"ibv_create_rwq_ind_table", func(w *ward) (fmt.Stringer, func() error) {
		q := w.wq()
		return w.c, func() error { return shut(w.c.CreateRWQIndTable(q)) }
	}, false},
	{"ibv_destroy_rwq_ind_table", func(w *ward) (fmt.Stringer, func() error) { t := w.table(); return t, t.Close }, true},
	{"ibv_create_qp_ex", func(w *ward) (fmt.Stringer, func() error) {
		p, t := w.pd(), w.table()
		return p, func() error { return shut(p.CreateRSSQP(RSSAttr{Table: t, Fields: ibv.IBV_RX_HASH_SRC_IPV4})) }
	}, false},
	{"ibv_query_device", func(w *ward) (fmt.Stringer, func() error) {
		return w.c, func() error { _, err := w.c.QueryDevice(); return err }
	}, false},
	{"ibv_query_device_ex", func(w *ward) (fmt.Stringer, func() error) {
		return w.c, func() error { _, err := w.c.QueryDeviceEx(); return err }
	}, false},
	{"ibv_query_port", func(w *ward) (fmt.Stringer, func() error) {
		return w.c, func() error { _, err := w.c.QueryPort(1); return err }
	}, false},
	{"ibv_query_gid", func(w *ward) (fmt.Stringer, func() error) {
		return w.c, func() error { _, err := w.c.QueryGID(1, 0); return err }
	}, false},
	{"ibv_query_gid_ex", func(w *ward) (fmt.Stringer, func() error) {
		return w.c, func() error { _, err := w.c.QueryGIDEntry(1, 0); return err }
	}, false},
	{"ibv_query_gid_table", func(w *ward) (fmt.Stringer, func() error) {
		return w.c, func() error { _, err := w.c.GIDTable(); return err }
	}, false},
	{"ibv_query_pkey", func(w *ward) (fmt.Stringer, func() error) {
		return w.c, func() error { _, err := w.c.QueryPKey(1, 0); return err }
	}, false},
}

// inDevice lists the verbs of the device's that a verb ends up in: the header's inline for the extended query
// takes the plain one if it is told EOPNOTSUPP.
func inDevice(verb string) []string {
	if verb == "ibv_query_device_ex" {
		return []string{verb, "ibv_query_device"}
	}
	return []string{verb}
}

// Each verb, failing in each way, gives an error with the verb, the object and the errno value; nothing is made or lost by it, and the
// same call succeeds afterwards.
func TestEveryFailureOfEveryVerb(t *testing.T) {
	for _, f := range faults {
		for _, errno := range []syscall.Errno{syscall.ENOMEM, syscall.EINVAL, syscall.EOPNOTSUPP, syscall.EBUSY} {
			testFault(t, f.verb, f.call, softdev.Fault{Errno: errno, Times: 1}, errno)
		}
		testFault(t, f.verb, f.call, softdev.Fault{Value: -int(syscall.ENOBUFS), Errno: syscall.ENOBUFS}, syscall.ENOBUFS)
	}
}

func testFault(t *testing.T, verb string, call call, fault softdev.Fault, errno syscall.Errno) {
	t.Run(fmt.Sprintf("%s/%d", verb, errno), func(t *testing.T) {
		d, c := testDevice(t)
		on, op := call(&ward{t, d, c})
		before := d.Objects()
		for _, v := range inDevice(verb) {
			ok(t, d.Fail(v, fault))
		}
		err := op()
		wantError(t, err, verb, on.String(), errno)
		if errors.Is(err, ErrNotSupported) != (errno == syscall.EOPNOTSUPP) || errors.Is(err, errors.ErrUnsupported) != (errno == syscall.EOPNOTSUPP) {
			t.Errorf("%v: is ErrNotSupported: %v", err, errors.Is(err, ErrNotSupported))
		}
		if after := d.Objects(); after != before {
			t.Errorf("%v afterwards, %v before", after, before)
		}
		d.Heal()
		ok(t, op())
	})
}

// A verb that the device does not have is ErrNotSupported, with the verb and the object.
func TestEveryVerbMissing(t *testing.T) {
	for _, f := range faults {
		if f.destroys {
			continue
		}
		t.Run(f.verb, func(t *testing.T) {
			d, c := testDeviceWith(t, softdev.Config{Absent: inDevice(f.verb)}, OpenAttr{})
			on, op := f.call(&ward{t, d, c})
			before := d.Objects()
			err := op()
			wantError(t, err, f.verb, on.String(), syscall.EOPNOTSUPP)
			if !errors.Is(err, ErrNotSupported) || !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("%v is not ErrNotSupported", err)
			}
			if after := d.Objects(); after != before {
				t.Errorf("%v afterwards, %v before", after, before)
			}
		})
	}
}

// What fails since the device is gone says so, whatever it is.
func TestEveryVerbOfALostDevice(t *testing.T) {
	for _, f := range faults {
		if f.destroys || f.verb == "ibv_poll_cq" || f.verb == "ibv_start_poll" || f.verb == "ibv_next_poll" {
			continue // these succeed
		}
		t.Run(f.verb, func(t *testing.T) {
			d := must(softdev.New(softdev.Config{}))
			c := must(AdoptDevice(d.Raw(), "test", nil).Open())
			t.Cleanup(func() { ok(t, errors.Join(c.Close(), d.Close())) })
			_, op := f.call(&ward{t, d, c})
			d.Lose()
			eventually(t, "loss", c.Lost)
			if err := op(); !errors.Is(err, syscall.EIO) || !strings.HasSuffix(err.Error(), ": the device is lost") {
				t.Errorf("%v, want EIO and that the device is lost", err)
			}
		})
	}
}

// NULL without an errno value is a failure like any other.
func TestNothingWithoutAReason(t *testing.T) {
	for _, verb := range []string{"ibv_alloc_pd", "ibv_reg_mr", "ibv_create_comp_channel", "ibv_create_cq", "ibv_create_cq_ex", "ibv_create_qp", "ibv_create_wq",
		"ibv_create_rwq_ind_table", "ibv_create_qp_ex", "ibv_qp_to_qp_ex"} {
		i := slices.IndexFunc(faults, func(f fault) bool { return f.verb == verb })
		testFault(t, verb, faults[i].call, softdev.Fault{NoErrno: true}, 0)
	}
}

// Opening and closing the device itself: a context that could not be closed is as it was.
func TestFailuresOfTheDevice(t *testing.T) {
	d := must(softdev.New(softdev.Config{}))
	dev := AdoptDevice(d.Raw(), "test", nil)
	for _, errno := range []syscall.Errno{syscall.ENOMEM, syscall.EINVAL, syscall.EOPNOTSUPP, syscall.EBUSY} {
		ok(t, d.Fail("ibv_open_device", softdev.Fault{Errno: errno}))
		_, err := dev.Open()
		wantError(t, err, "ibv_open_device", "softdev0", errno)
		c := must(dev.Open())
		ok(t, d.Fail("ibv_close_device", softdev.Fault{Errno: errno}))
		wantError(t, c.Close(), "ibv_close_device", "softdev0", errno)
		ok(t, must(c.AllocPD()).Close())
		ok(t, c.Close())
	}
	if left, orphans := d.Objects(), d.Orphans(); left.Total() != 0 || orphans.Total() != 0 {
		t.Errorf("left: %v, orphans: %v", left, orphans)
	}
	ok(t, d.Close())
}
