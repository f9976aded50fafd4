//go:build linux && cgo

package cverbs

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs/internal/testprovider"
)

// open registers a small provider's context. When the test ends nothing of it may be left.
func open(t testing.TB, less int) (*testprovider.Provider, *ibv.Context) {
	t.Helper()
	p := testprovider.Open(less)
	ops := make([]unsafe.Pointer, NumVerbs)
	for i, v := range verbTable {
		name, _ := strings.CutPrefix(v.name, "ibv_")
		ops[i] = testprovider.Function(name)
	}
	table := ctestAlloc(t, 8*NumVerbs)
	copy(unsafe.Slice((*unsafe.Pointer)(table), len(ops)), ops)
	if err := Register(p.Context(), table); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Unregister(p.Context()); err != nil {
			t.Error(err)
		}
		if left := p.Objects(); p.Close() != 0 {
			t.Errorf("%v domains, completion queues and work queues are left", left)
		}
	})
	return p, (*ibv.Context)(p.Context())
}

// queues makes a domain, a completion queue and a work queue, which live as long as the test.
func queues(t testing.TB, context *ibv.Context, cqe int32) (*ibv.PD, *ibv.CQ, *ibv.WQ) {
	t.Helper()
	pd, err := AllocPD(context)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { wantNil(t, DeallocPD(pd)) })
	cq, err := CreateCQ(context, cqe, 0xc0ffee, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { wantNil(t, DestroyCQ(cq)) })
	attr := &ibv.WQInitAttr{WQType: ibv.IBV_WQT_RQ, MaxWR: 100, MaxSGE: 1, PD: pd, CQ: cq}
	wq, err := CreateWQ(context, attr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { wantNil(t, DestroyWQ(wq)) })
	if attr.MaxWR != 128 || attr.MaxSGE != 4 {
		t.Errorf("max_wr %d, max_sge %d, want 128 and 4, which the provider wrote back", attr.MaxWR, attr.MaxSGE)
	}
	return pd, cq, wq
}

func wantNil(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// wantFailure wants an *Error of a verb with an errno value.
func wantFailure(t testing.TB, err error, v Verb, want syscall.Errno) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Verb != v.String() || e.Errno != want || want != 0 && !errors.Is(err, want) {
		t.Errorf("%#v, want an *Error of %v with errno %d", err, v, want)
	}
	if supported := want != syscall.EOPNOTSUPP; errors.Is(err, ErrNotSupported) == supported || errors.Is(err, errors.ErrUnsupported) == supported {
		t.Errorf("%v: errors.Is(ErrNotSupported) is %v", err, supported)
	}
}

func TestProvider(t *testing.T) {
	p, context := open(t, 0)
	pd, cq, wq := queues(t, context, 100)
	if pd.Context != context || cq.Context != context || cq.CQContext != 0xc0ffee || cq.CQE != 128 || wq.Context != context || wq.PD != pd || wq.CQ != cq {
		t.Error("an object is not what the provider made")
	}
	if got := p.Objects(); got != [3]int{1, 1, 1} {
		t.Errorf("objects %v", got)
	}
	if err := ModifyWQ(wq, &ibv.WQAttr{AttrMask: ibv.IBV_WQ_ATTR_STATE, WQState: ibv.IBV_WQS_RDY}); err != nil || wq.State != ibv.IBV_WQS_RDY {
		t.Errorf("%v, state %d", err, wq.State)
	}
	wantFailure(t, ModifyWQ(wq, &ibv.WQAttr{AttrMask: ibv.IBV_WQ_ATTR_CURR_STATE, CurrWQState: ibv.IBV_WQS_ERR}), VerbModifyWQ, syscall.EINVAL)
	if errno := ReqNotifyCQ(cq, 1); errno != 0 {
		t.Error(errno)
	}
}

// Requests in Go memory are posted and completed, one by one and as a list in C memory.
func TestProviderReceives(t *testing.T) {
	_, context := open(t, 0)
	_, cq, wq := queues(t, context, 4)
	wc := make([]ibv.WC, 8)
	if n, err := PollCQ(cq, int32(len(wc)), &wc[0]); n != 0 || err != nil {
		t.Errorf("%d completions of an empty queue, %v", n, err)
	}
	var bad *ibv.RecvWR
	list := unsafe.Slice((*ibv.RecvWR)(ctestAlloc(t, 5*int(unsafe.Sizeof(ibv.RecvWR{})))), 5)
	for i := range list {
		list[i].WRID = uint64(0xabcdef0000 + i)
		if i < 4 {
			list[i].Next = &list[i+1]
		}
	}
	sge := (*ibv.SGE)(ctestAlloc(t, int(unsafe.Sizeof(ibv.SGE{}))))
	*sge = ibv.SGE{Addr: 1, Length: 4321, LKey: 7}
	list[1].SGList, list[1].NumSGE = sge, 1
	badPlace := (**ibv.RecvWR)(ctestAlloc(t, 8))
	if errno := PostWQRecv(wq, &list[0], badPlace); errno != syscall.ENOMEM || *badPlace != &list[4] {
		t.Errorf("errno %d, bad request %p, want ENOMEM at the last, %p", errno, *badPlace, &list[4])
	}
	if n, err := PollCQ(cq, 3, &wc[0]); n != 3 || err != nil || wc[0].WRID != 0xabcdef0000 || wc[1].WRID != 0xabcdef0001 || wc[1].ByteLen != 4321 ||
		wc[2].Opcode != ibv.IBV_WC_RECV || wc[2].QPNum != wq.WQNum || wc[3].WRID != 0 {
		t.Errorf("%d completions %+v, %v", n, wc, err)
	}
	if n, err := PollCQ(cq, 8, &wc[0]); n != 1 || err != nil || wc[0].WRID != 0xabcdef0003 {
		t.Errorf("%d completions %+v, %v", n, wc, err)
	}
	if errno := PostWQRecv(wq, &ibv.RecvWR{WRID: 5}, &bad); errno != 0 {
		t.Error(errno)
	}
	if n, err := PollCQ(cq, 8, &wc[0]); n != 1 || err != nil || wc[0].WRID != 5 {
		t.Errorf("%d completions %+v, %v", n, wc, err)
	}
	if errno := PostWQRecv(wq, &ibv.RecvWR{NumSGE: -1}, &bad); errno != syscall.EINVAL {
		t.Errorf("errno %d, want EINVAL", errno)
	}
}

// Each form of failure of each operation becomes an error, and nothing is made or lost.
func TestProviderFailures(t *testing.T) {
	p, context := open(t, 0)
	pd, cq, wq := queues(t, context, 1)
	before := p.Objects()
	attr := func() *ibv.WQInitAttr { return &ibv.WQInitAttr{MaxWR: 5, PD: pd, CQ: cq} }
	for _, errno := range []syscall.Errno{syscall.ENOMEM, syscall.EOPNOTSUPP, 0} {
		p.Fail(3, 0, errno)
		r, err := AllocPD(context)
		wantFailure(t, err, VerbAllocPD, errno)
		s, err := CreateCQ(context, 1, 0, nil, 0)
		wantFailure(t, err, VerbCreateCQ, errno)
		a := attr()
		q, err := CreateWQ(context, a)
		wantFailure(t, err, VerbCreateWQ, errno)
		if r != nil || s != nil || q != nil || *a != *attr() {
			t.Errorf("failure left %v %v %v %+v", r, s, q, a)
		}
	}
	for _, sign := range []int{1, -1} {
		p.Fail(4, sign*int(syscall.EBUSY), syscall.EPERM)
		wantFailure(t, DeallocPD(pd), VerbDeallocPD, syscall.EBUSY)
		wantFailure(t, DestroyCQ(cq), VerbDestroyCQ, syscall.EBUSY)
		wantFailure(t, DestroyWQ(wq), VerbDestroyWQ, syscall.EBUSY)
		wantFailure(t, ModifyWQ(wq, &ibv.WQAttr{}), VerbModifyWQ, syscall.EBUSY)
		p.Fail(2, sign*int(syscall.EINVAL), 0)
		var bad *ibv.RecvWR
		if errno := PostWQRecv(wq, &ibv.RecvWR{}, &bad); errno != syscall.EINVAL || VerbPostWQRecv.Failed(errno) == nil {
			t.Errorf("errno %d", errno)
		}
		if errno := ReqNotifyCQ(cq, 0); errno != syscall.EINVAL {
			t.Errorf("errno %d", errno)
		}
	}
	for value, want := range map[int]syscall.Errno{-22: 22, -1: 0, -5000: 0, 95: 95, 17: 17} {
		p.Fail(1, value, syscall.EPERM)
		wc := make([]ibv.WC, 16)
		n, err := PollCQ(cq, 16, &wc[0])
		if n != 0 {
			t.Errorf("%d completions beside %v", n, err)
		}
		wantFailure(t, err, VerbPollCQ, want)
	}
	if got := p.Objects(); got != before {
		t.Errorf("objects %v, want %v as before", got, before)
	}
	// The header refuses this by itself, if it gets to see it.
	wantFailure(t, QueryDeviceEx(context, &ibv.QueryDeviceExInput{CompMask: 1}, &ibv.DeviceAttrEx{}), VerbQueryDeviceEx, syscall.EINVAL)
	_, err := CreateWQ(context, &ibv.WQInitAttr{WQType: 77, PD: pd, CQ: cq})
	wantFailure(t, err, VerbCreateWQ, syscall.EINVAL)
	_, err = CreateCQ(context, -1, 0, nil, 0)
	wantFailure(t, err, VerbCreateCQ, syscall.EINVAL)
}

// Some providers' posts return -1 and leave the reason in errno, against the manual; an errno value of an earlier call is no reason.
func TestProviderPostsMinus1(t *testing.T) {
	p, context := open(t, 0)
	_, _, wq := queues(t, context, 1)
	for _, c := range []struct {
		value            int
		provider, result syscall.Errno
	}{
		{-1, syscall.ENOMEM, syscall.ENOMEM}, {-1, syscall.EINVAL, syscall.EINVAL}, {-1, 0, 1},
		{-int(syscall.ENOMEM), syscall.EPERM, syscall.ENOMEM}, {int(syscall.EINVAL), syscall.ENOMEM, syscall.EINVAL}, {0, syscall.ENOMEM, 0},
	} {
		p.Fail(1, 0, syscall.EBUSY)
		if _, err := AllocPD(context); err == nil {
			t.Fatal("alloc_pd did not fail")
		}
		p.Fail(1, c.value, c.provider)
		var bad *ibv.RecvWR
		if errno := PostWQRecv(wq, &ibv.RecvWR{}, &bad); errno != c.result {
			t.Errorf("a post that returns %d with errno %d: %d, want %d", c.value, c.provider, errno, c.result)
		}
	}
}

// A provider's own failure is that and no more, also if stubs fail with the same value where they have nothing to call.
func TestProviderOwnErrno(t *testing.T) {
	p, context := open(t, 0)
	pd, _, _ := queues(t, context, 1)
	for _, errno := range []syscall.Errno{syscall.ENOSYS, syscall.ELIBACC, syscall.EOPNOTSUPP} {
		p.Fail(3, int(errno), errno)
		_, err := AllocPD(context)
		for _, err := range []error{err, DeallocPD(pd), VerbPollCQ.Failed(ReqNotifyCQ(&ibv.CQ{Context: context}, 0))} {
			var e *Error
			if !errors.As(err, &e) || *e != (Error{Verb: e.Verb, Errno: errno}) || errors.Is(err, ErrNoLibrary) || e.Error() != e.Verb+": "+errno.Error() {
				t.Errorf("%#v, want errno %d and nothing else", err, errno)
			}
		}
	}
	r := child(t, nil, "set /absent", "null ibv_dealloc_pd "+elibacc, "set /other")
	if r[1].NoLibrary || r[2].Reason != AlreadyChosen {
		t.Errorf("%+v: a provider's failure loads the library", r)
	}
}

// What the provider has no function for is not supported, and never goes to the library.
func TestProviderGaps(t *testing.T) {
	_, context := open(t, 0)
	pd, cq, wq := queues(t, context, 1)
	if _, err := RegMR(pd, 4096, 4096, 0); err == nil || err.Error() != "ibv_reg_mr: operation not supported: the provider in this process has no ibv_reg_mr" {
		t.Error(err)
	}
	_, err := RegMR(pd, 4096, 4096, 0)
	wantFailure(t, err, VerbRegMR, syscall.EOPNOTSUPP)
	_, err = CreateQP(pd, &ibv.QPInitAttr{})
	wantFailure(t, err, VerbCreateQP, syscall.EOPNOTSUPP)
	_, err = AllocDM(context, &ibv.AllocDMAttr{})
	wantFailure(t, err, VerbAllocDM, syscall.EOPNOTSUPP)
	_, err = CreateCompCntr(context, &ibv.CompCntrInitAttr{})
	wantFailure(t, err, VerbCreateCompCntr, syscall.EOPNOTSUPP)
	wantFailure(t, ResizeCQ(cq, 5), VerbResizeCQ, syscall.EOPNOTSUPP)
	wantFailure(t, QueryDevice(context, &ibv.DeviceAttr{}), VerbQueryDevice, syscall.EOPNOTSUPP)
	wantFailure(t, QueryDeviceEx(context, nil, &ibv.DeviceAttrEx{}), VerbQueryDeviceEx, syscall.EOPNOTSUPP)
	wantFailure(t, QueryPort(context, 1, &ibv.PortAttr{}), VerbQueryPort, syscall.EOPNOTSUPP)
	wantFailure(t, QueryCompCntrCaps(context, &ibv.CompCntrCaps{}), VerbQueryCompCntrCaps, syscall.EOPNOTSUPP)
	_, err = QueryGIDTable(context, &ibv.GIDEntry{}, 1, 0)
	wantFailure(t, err, VerbQueryGIDTable, syscall.EOPNOTSUPP)
	_, err = CreateRWQIndTable(context, &ibv.RWQIndTableInitAttr{IndTbl: nil})
	wantFailure(t, err, VerbCreateRWQIndTable, syscall.EOPNOTSUPP)
	wantFailure(t, CloseDevice(context), VerbCloseDevice, syscall.EOPNOTSUPP)
	_ = wq
}

// The context of an older library has no room for work queues, whatever is in memory there.
func TestProviderOfOlderLibrary(t *testing.T) {
	var v ibv.VerbsContext
	// From the end. The first to be added is the last in memory.
	atCreateWQ := int(unsafe.Sizeof(v) - unsafe.Offsetof(v.CreateWQ))
	atDestroyWQ := int(unsafe.Sizeof(v) - unsafe.Offsetof(v.DestroyWQ))
	header := func() int {
		p := testprovider.Open(0)
		defer p.Close()
		return int(ibv.VerbsContextOf((*ibv.Context)(p.Context())).Sz)
	}()
	for _, c := range []struct {
		sz int
		ok bool
	}{{atDestroyWQ, true}, {atCreateWQ - 8, false}, {int(unsafe.Sizeof(v.Context)) + 16, false}, {0, false}} {
		_, context := open(t, header-c.sz)
		pd, err := AllocPD(context)
		if err != nil {
			t.Fatal(err)
		}
		cq, err := CreateCQ(context, 1, 0, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		wq, err := CreateWQ(context, &ibv.WQInitAttr{MaxWR: 1, PD: pd, CQ: cq})
		if c.ok {
			wantNil(t, err)
			wantFailure(t, DestroyRWQIndTable(&ibv.RWQIndTable{Context: context}), VerbDestroyRWQIndTable, syscall.EOPNOTSUPP)
			wantNil(t, DestroyWQ(wq))
		} else {
			wantFailure(t, err, VerbCreateWQ, syscall.EOPNOTSUPP)
		}
		wantNil(t, DestroyCQ(cq))
		wantNil(t, DeallocPD(pd))
	}
}

// Hot calls, and others that succeed, cost no garbage.
func TestProviderAllocations(t *testing.T) {
	p, context := open(t, 0)
	_, cq, wq := queues(t, context, 16)
	wc := make([]ibv.WC, 16)
	wr, bad := &ibv.RecvWR{WRID: 1}, (*ibv.RecvWR)(nil)
	attr, pkey, served := &ibv.WQAttr{}, new(ibv.Be16), newWorld(t, true).context
	testprovider.Expect(0, 0)
	for name, f := range map[string]func(){
		"AllocPD and DeallocPD": func() {
			pd, err := AllocPD(context)
			if err != nil || DeallocPD(pd) != nil {
				t.Error(err)
			}
		},
		"QueryPKey with a result that is used again": func() {
			if QueryPKey(served, 1, 0, pkey) != nil {
				t.Error("it failed")
			}
		},
		"ModifyWQ with attributes that are used again": func() {
			if ModifyWQ(wq, attr) != nil {
				t.Error("it failed")
			}
		},
		"PollCQ":      func() { PollCQ(cq, 16, &wc[0]) },
		"ReqNotifyCQ": func() { ReqNotifyCQ(cq, 0) },
		"PostWQRecv": func() {
			if PostWQRecv(wq, wr, &bad) != 0 {
				t.Error("a post failed")
			}
			PollCQ(cq, 16, &wc[0])
		},
		"PostWQRecv with its arguments": func() {
			var bad *ibv.RecvWR
			wr := ibv.RecvWR{WRID: 7}
			if PostWQRecv(wq, &wr, &bad) != 0 {
				t.Error("a post failed")
			}
			var wc ibv.WC
			if n, err := PollCQ(cq, 1, &wc); n != 1 || err != nil || wc.WRID != 7 {
				t.Error(n, err)
			}
		},
		"failing PostWQRecv": func() {
			p.Fail(1, int(syscall.ENOMEM), 0)
			if PostWQRecv(wq, wr, &bad) != syscall.ENOMEM {
				t.Error("a post did not fail")
			}
		},
		"failing ReqNotifyCQ": func() {
			p.Fail(1, -int(syscall.EINVAL), 0)
			if ReqNotifyCQ(cq, 0) != syscall.EINVAL {
				t.Error("it did not fail")
			}
		},
	} {
		if n := testing.AllocsPerRun(200, f); n != 0 && !(asan && name == "PostWQRecv with its arguments") {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
