//go:build linux && cgo

package verbs

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

// Attributes that a step lacks are named as C spells them, and the device is not asked; nor is it about a step that does not exist.
func TestModifyNamesWhatIsMissing(t *testing.T) {
	d, c := testDevice(t)
	p := &pair{d: d, c: c, pd: closing(t, must(c.AllocPD()))}
	q := p.qp(t, QPAttr{})
	before := p.calls(t, "modify_qp")
	err := q.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_INIT, PortNum: 1}, ibv.IBV_QP_STATE|ibv.IBV_QP_PORT)
	wantError(t, err, "ibv_modify_qp", q.String(), syscall.EINVAL, "IBV_QP_ACCESS_FLAGS", "IBV_QP_PKEY_INDEX", "from IBV_QPS_RESET to IBV_QPS_INIT")
	if strings.Contains(err.Error(), "IBV_QP_PORT") {
		t.Errorf("%v names what is there", err)
	}
	err = q.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_RTS}, ibv.IBV_QP_STATE)
	wantError(t, err, "ibv_modify_qp", q.String(), syscall.EINVAL, "no step from IBV_QPS_RESET to IBV_QPS_RTS")
	err = q.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_RTS, CurQPState: ibv.IBV_QPS_RTR}, ibv.IBV_QP_STATE|ibv.IBV_QP_CUR_STATE)
	wantError(t, err, "ibv_modify_qp", q.String(), syscall.EINVAL, "IBV_QP_TIMEOUT")
	wantError(t, q.Modify(nil, 0), "ibv_modify_qp", q.String(), syscall.EINVAL, "no attributes")
	if p.calls(t, "modify_qp") != before {
		t.Error("the device was asked")
	}
	// What the device refuses has what was asked for in its hint.
	full := ibv.IBV_QP_STATE | ibv.IBV_QP_PKEY_INDEX | ibv.IBV_QP_PORT | ibv.IBV_QP_ACCESS_FLAGS
	err = q.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_INIT, PortNum: 2, PKeyIndex: 7}, full)
	wantError(t, err, "ibv_modify_qp", q.String(), syscall.EINVAL, "port_num 2", "pkey_index 7")
	if q.State() != ibv.IBV_QPS_RESET {
		t.Errorf("%v", q.State())
	}
	ok(t, q.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_INIT, PortNum: 1}, full))
	ah := ibv.AHAttr{PortNum: 1, IsGlobal: 1, GRH: ibv.GlobalRoute{SgidIndex: 9, Dgid: gid(t, "::ffff:10.9.0.1")}}
	err = q.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_RTR, AHAttr: ah, PathMTU: ibv.IBV_MTU_1024}, ibv.IBV_QP_STATE|rcSteps[qpStep{ibv.IBV_QPS_INIT, ibv.IBV_QPS_RTR}])
	wantError(t, err, "ibv_modify_qp", q.String(), syscall.EINVAL, "sgid_index 9", "10.9.0.1", "IBV_MTU_1024")
}

// The state that is tracked is the one that was reached; and Query finds what the device did.
func TestQPStates(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{})
	to := func(s ibv.QPState) {
		t.Helper()
		ok(t, p.a.Modify(&ibv.QPAttr{QPState: s}, ibv.IBV_QP_STATE))
		if p.a.State() != s {
			t.Errorf("%v, want %v", p.a.State(), s)
		}
	}
	if p.a.State() != ibv.IBV_QPS_RTS {
		t.Error(p.a.State())
	}
	to(ibv.IBV_QPS_SQD)
	ok(t, p.a.Send(SendWR{WRID: 1, Flags: signaled}))
	poll(t, p.a.SendCQ(), 0)
	to(ibv.IBV_QPS_RTS)
	one(t, p.a.SendCQ(), 1, ibv.IBV_WC_SUCCESS)
	to(ibv.IBV_QPS_ERR)
	to(ibv.IBV_QPS_RESET)
	ok(t, p.b.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_RESET}, ibv.IBV_QP_STATE))
	p.connect(t, ConnectAttr{})
	// An error moves it without anybody's knowledge, until it is asked.
	ok(t, p.b.Send(SendWR{RemoteAddr: 1, SGList: sge(p.mra, 0, 1)}))
	if p.b.State() != ibv.IBV_QPS_RTS || must(p.peek(t, p.b)) != ibv.IBV_QPS_ERR || p.b.State() != ibv.IBV_QPS_ERR {
		t.Error(p.b.State())
	}
}

// Connecting goes through all the steps with attributes that can be overridden, and what is not said is what the comments say.
func TestConnectAttributes(t *testing.T) {
	p := testPair(t, QPAttr{}, ConnectAttr{})
	attr, _, err := p.a.Query(^ibv.QPAttrMask(0) >> 1)
	ok(t, err)
	ea, eb := must(p.a.Endpoint()), must(p.b.Endpoint())
	dev := must(p.c.QueryDevice())
	index, sgid, err := p.c.SelectGID(1)
	ok(t, err)
	if attr.QPState != ibv.IBV_QPS_RTS || attr.PathMTU != ibv.IBV_MTU_4096 || attr.Timeout != 14 || attr.RetryCnt != 7 || attr.RNRRetry != 7 || attr.MinRNRTimer != 12 ||
		attr.PortNum != 1 || attr.QPAccessFlags != ibv.IBV_ACCESS_LOCAL_WRITE|ibv.IBV_ACCESS_REMOTE_WRITE|ibv.IBV_ACCESS_REMOTE_READ ||
		int(attr.MaxRdAtomic) != min(16, int(dev.MaxQPInitRdAtom)) || int(attr.MaxDestRdAtomic) != min(16, int(dev.MaxQPRdAtom)) {
		t.Errorf("%+v", attr)
	}
	if attr.DestQPNum != p.b.Num() || attr.SQPSN != ea.PSN || attr.RQPSN != eb.PSN || attr.AHAttr.IsGlobal != 1 || int(attr.AHAttr.GRH.SgidIndex) != index ||
		attr.AHAttr.GRH.Dgid != eb.GID || ea.GID != sgid || ea.QPNum != p.a.Num() {
		t.Errorf("%+v for %v and %v", attr, ea, eb)
	}
	if again := must(p.a.Endpoint()); again != ea {
		t.Errorf("%v, and then %v", ea, again)
	}
	q, r := p.qp(t, QPAttr{}), p.qp(t, QPAttr{})
	custom := ConnectAttr{
		Port: 1, GIDIndex: new(1), MTU: ibv.IBV_MTU_256, Access: ibv.IBV_ACCESS_REMOTE_READ, Timeout: new(0), RetryCnt: new(0), RNRRetry: new(3), MinRNRTimer: new(0),
		MaxRdAtomic: new(1), MaxDestRdAtomic: new(0), SL: 3, TrafficClass: 9, HopLimit: 5,
	}
	ok(t, q.Init(custom))
	if q.State() != ibv.IBV_QPS_INIT {
		t.Error(q.State())
	}
	ok(t, q.Recv(RecvWR{}))
	ok(t, q.Connect(must(r.Endpoint()), custom))
	attr, _, err = q.Query(^ibv.QPAttrMask(0) >> 1)
	ok(t, err)
	if attr.PathMTU != ibv.IBV_MTU_256 || attr.Timeout != 0 || attr.RetryCnt != 0 || attr.RNRRetry != 3 || attr.MinRNRTimer != 0 || attr.MaxRdAtomic != 1 ||
		attr.MaxDestRdAtomic != 0 || attr.QPAccessFlags != ibv.IBV_ACCESS_REMOTE_READ || attr.AHAttr.GRH.SgidIndex != 1 || attr.AHAttr.SL != 3 ||
		attr.AHAttr.GRH.TrafficClass != 9 || attr.AHAttr.GRH.HopLimit != 5 {
		t.Errorf("%+v", attr)
	}
	if e := must(q.Endpoint()); e.GID != must(p.c.QueryGID(1, 1)) {
		t.Errorf("%v", e)
	}
}

// What does not fit is refused, and nothing is silently something else.
func TestConnectRefuses(t *testing.T) {
	d, c := testDevice(t)
	p := &pair{d: d, c: c, pd: closing(t, must(c.AllocPD()))}
	p.a = p.qp(t, QPAttr{})
	remote := must(p.a.Endpoint())
	for _, c := range []struct {
		remote Endpoint
		attr   ConnectAttr
		text   string
	}{
		{remote, ConnectAttr{MTU: 1500}, "ConnectAttr.MTU is MTU(1500)"}, {remote, ConnectAttr{MTU: 6}, "ConnectAttr.MTU"},
		{remote, ConnectAttr{Timeout: new(32)}, "ConnectAttr.Timeout is 32"}, {remote, ConnectAttr{RetryCnt: new(8)}, "ConnectAttr.RetryCnt"},
		{remote, ConnectAttr{RNRRetry: new(-1)}, "ConnectAttr.RNRRetry"}, {remote, ConnectAttr{MinRNRTimer: new(32)}, "ConnectAttr.MinRNRTimer"},
		{remote, ConnectAttr{MaxRdAtomic: new(256)}, "ConnectAttr.MaxRdAtomic"}, {remote, ConnectAttr{MaxDestRdAtomic: new(-1)}, "ConnectAttr.MaxDestRdAtomic"},
		{remote, ConnectAttr{Port: 3}, "port 1, and not on port 3"}, {remote, ConnectAttr{GIDIndex: new(1)}, "GID index 3, and not 1"},
		{Endpoint{QPNum: 1 << 24, GID: remote.GID}, ConnectAttr{}, "qpn"},
	} {
		err := p.a.Connect(c.remote, c.attr)
		wantError(t, err, "ibv_modify_qp", p.a.String(), syscall.EINVAL, c.text)
		if p.a.State() != ibv.IBV_QPS_RESET {
			t.Errorf("%v: the QP is in %v", err, p.a.State())
		}
	}
	q := p.qp(t, QPAttr{})
	if err := q.Init(ConnectAttr{Port: 2}); !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "port") {
		t.Errorf("%v", err)
	}
	if err := q.Connect(remote, ConnectAttr{GIDIndex: new(1000)}); err == nil || q.State() != ibv.IBV_QPS_RESET {
		t.Errorf("%v", err)
	}
	// What cannot work is refused before the first step.
	err := q.Connect(Endpoint{QPNum: remote.QPNum}, ConnectAttr{})
	wantError(t, err, "ibv_modify_qp", q.String(), syscall.EINVAL, "before the first step", "no GID")
	if q.State() != ibv.IBV_QPS_RESET {
		t.Errorf("%v", q.State())
	}
	// The step that fails is named, the QP stays where it is, and goes on from there.
	ok(t, d.Fail("modify_qp", softdev.Fault{Skip: 1, Errno: syscall.EINVAL}))
	wantError(t, q.Connect(remote, ConnectAttr{}), "ibv_modify_qp", q.String(), syscall.EINVAL, "from IBV_QPS_INIT to IBV_QPS_RTR")
	wantError(t, q.Init(ConnectAttr{}), "ibv_modify_qp", q.String(), syscall.EINVAL, "IBV_QPS_INIT")
	ok(t, q.Connect(remote, ConnectAttr{}))
	wantError(t, q.Connect(remote, ConnectAttr{}), "ibv_modify_qp", q.String(), syscall.EINVAL, "IBV_QPS_RTS", "RESET first")
}

// What the other side may do is what the Connect that succeeds says, or Init if that does not say it; ibv_modify_qp(3) has the access
// flags as an optional attribute of the step to RTR.
func TestAccessIsWhatWasAskedForLast(t *testing.T) {
	d, c := testDevice(t)
	p := &pair{d: d, c: c, pd: closing(t, must(c.AllocPD()))}
	const local, read = ibv.IBV_ACCESS_LOCAL_WRITE, ibv.IBV_ACCESS_REMOTE_READ
	narrow, zero := ConnectAttr{Access: local}, ConnectAttr{}
	initialize := func(q *QP, a ConnectAttr) { ok(t, q.Init(a)) }
	fail := func(q *QP, a ConnectAttr) {
		ok(t, d.Fail("modify_qp", softdev.Fault{Skip: 1, Errno: syscall.ENOMEM}))
		wantError(t, q.Connect(must(q.Endpoint()), a), "ibv_modify_qp", q.name, syscall.ENOMEM)
	}
	modify := func(q *QP, a ConnectAttr) {
		ok(t, q.Modify(&ibv.QPAttr{QPState: ibv.IBV_QPS_INIT, PortNum: 1, QPAccessFlags: a.Access}, ibv.IBV_QP_STATE|rcSteps[qpStep{ibv.IBV_QPS_RESET, ibv.IBV_QPS_INIT}]))
	}
	for _, c := range []struct {
		name   string
		before func(*QP, ConnectAttr)
		first  ConnectAttr
		then   ConnectAttr
		want   ibv.AccessFlags
	}{
		{"Init, then Connect with less", initialize, zero, narrow, local},
		{"Init with less, then Connect", initialize, narrow, zero, local},
		{"a failed Connect, then one with less", fail, zero, narrow, local},
		{"a failed Connect with less, then one without", fail, narrow, zero, defaultAccess},
		{"Modify, then Connect", modify, ConnectAttr{Access: read}, zero, read},
	} {
		q := p.qp(t, QPAttr{})
		c.before(q, c.first)
		ok(t, q.Connect(must(q.Endpoint()), c.then))
		attr, _, err := q.Query(ibv.IBV_QP_ACCESS_FLAGS)
		if ok(t, err); attr.QPAccessFlags != c.want {
			t.Errorf("%s: %v, want %v", c.name, attr.QPAccessFlags, c.want)
		}
	}
}

// A partition key that Connect asks for reaches the device though the QP is in INIT: there is only the one of index 0 there.
func TestConnectGivesThePartitionKey(t *testing.T) {
	d, c := testDevice(t)
	p := &pair{d: d, c: c, pd: closing(t, must(c.AllocPD()))}
	q := p.qp(t, QPAttr{})
	ok(t, q.Init(ConnectAttr{}))
	err := q.Connect(must(q.Endpoint()), ConnectAttr{PKeyIndex: 1})
	wantError(t, err, "ibv_modify_qp", q.name, syscall.EINVAL, "from IBV_QPS_INIT to IBV_QPS_RTR", "pkey_index 1")
	ok(t, q.Connect(must(q.Endpoint()), ConnectAttr{}))
}

// An entry of the GID table that is not in use is no address.
func TestUnusedGIDIsRefused(t *testing.T) {
	d, c := testDevice(t)
	p := &pair{d: d, c: c, pd: closing(t, must(c.AllocPD()))}
	q := p.qp(t, QPAttr{})
	if gid := must(c.QueryGID(1, 9)); !gid.IsZero() {
		t.Fatal(gid)
	}
	for _, err := range []error{q.Init(ConnectAttr{GIDIndex: new(9)}), q.Connect(Endpoint{}, ConnectAttr{GIDIndex: new(9)})} {
		wantError(t, err, "ibv_modify_qp", q.name, syscall.EINVAL, "GID index 9 of port 1 is not in use")
	}
	if e := must(q.Endpoint()); e.GID.IsZero() || q.State() != ibv.IBV_QPS_RESET {
		t.Errorf("%v, %v", e, q.State())
	}
}

// Each step's failure arrives with its errno value, and leaves the QP in the state that it had reached.
func TestConnectFails(t *testing.T) {
	for skip, reached := range []ibv.QPState{ibv.IBV_QPS_RESET, ibv.IBV_QPS_INIT, ibv.IBV_QPS_RTR} {
		for _, errno := range []syscall.Errno{syscall.EINVAL, syscall.ENOMEM, syscall.ETIMEDOUT} {
			d, c := testDevice(t)
			p := &pair{d: d, c: c, pd: closing(t, must(c.AllocPD()))}
			q := p.qp(t, QPAttr{})
			before := d.Objects()
			ok(t, d.Fail("modify_qp", softdev.Fault{Skip: uint64(skip), Errno: errno}))
			wantError(t, q.Connect(must(q.Endpoint()), ConnectAttr{}), "ibv_modify_qp", q.String(), errno, "from "+reached.String())
			if q.State() != reached || d.Objects() != before {
				t.Errorf("%v, %v", q.State(), d.Objects())
			}
		}
	}
}
