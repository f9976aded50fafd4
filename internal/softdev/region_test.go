//go:build linux && cgo

package softdev

import (
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

func TestRegions(t *testing.T) {
	d, c := open(t, Config{Memlock: 10000, MaxMRSize: 8192})
	p := must(cverbs.AllocPD(c))(t)
	m := memory(t, 8192)
	mr := must(cverbs.RegMR(p, address(m), 6000, uint32(ibv.IBV_ACCESS_LOCAL_WRITE|ibv.IBV_ACCESS_RELAXED_ORDERING)))(t)
	if mr.Context != c || mr.PD != p || mr.Addr != address(m) || mr.Length != 6000 || mr.LKey != mr.RKey || mr.LKey < 256 {
		t.Errorf("%+v", *mr)
	}
	wantErrno(t, cverbs.DeallocPD(p), "ibv_dealloc_pd", syscall.EBUSY)
	_, err := cverbs.RegMR(p, address(m), 4001, 0)
	wantErrno(t, err, "ibv_reg_mr", syscall.ENOMEM)
	other := must(cverbs.RegMRIOVA(p, address(m), 4000, 0x7000, 0))(t)
	if other.LKey>>8 == mr.LKey>>8 {
		t.Errorf("keys %#x and %#x", mr.LKey, other.LKey)
	}
	if o := d.Objects(); o != (Objects{Contexts: 1, PDs: 1, MRs: 2}) {
		t.Errorf("%v", o)
	}
	wantNil(t, cverbs.DeregMR(mr))
	wantNil(t, cverbs.DeregMR(other))
	wantNil(t, cverbs.DeallocPD(p))
}

// The rules of ibv_reg_mr(3).
func TestRegionRules(t *testing.T) {
	d, c := open(t, Config{MaxMRSize: 1 << 20})
	p := pd(t, c)
	m := address(memory(t, 8192))
	const write = ibv.IBV_ACCESS_LOCAL_WRITE
	for name, test := range map[string]struct {
		addr, length uintptr
		access       ibv.AccessFlags
		want         syscall.Errno
	}{
		"empty":             {m, 0, 0, syscall.EINVAL},
		"too long":          {m, 1<<20 + 1, 0, syscall.EINVAL},
		"wraps":             {^uintptr(0), 2, 0, syscall.EINVAL},
		"remote write":      {m, 1, ibv.IBV_ACCESS_REMOTE_WRITE, syscall.EINVAL},
		"remote atomic":     {m, 1, ibv.IBV_ACCESS_REMOTE_ATOMIC, syscall.EINVAL},
		"unknown flag":      {m, 1, 1 << 19, syscall.EINVAL},
		"on-demand paging":  {m, 1, ibv.IBV_ACCESS_ON_DEMAND, syscall.EOPNOTSUPP},
		"flush":             {m, 1, ibv.IBV_ACCESS_FLUSH_GLOBAL, syscall.EOPNOTSUPP},
		"read only":         {m, 1, 0, 0},
		"remote read":       {m, 1, ibv.IBV_ACCESS_REMOTE_READ, 0},
		"all":               {m, 8192, write | ibv.IBV_ACCESS_REMOTE_WRITE | ibv.IBV_ACCESS_REMOTE_READ | ibv.IBV_ACCESS_REMOTE_ATOMIC | ibv.IBV_ACCESS_MW_BIND, 0},
		"zero-based, huge":  {m, 1, ibv.IBV_ACCESS_ZERO_BASED | ibv.IBV_ACCESS_HUGETLB, 0},
		"optional":          {m, 1, 1<<29 | write, 0},
		"no memory touched": {4096, 4096, write, 0},
	} {
		mr, err := cverbs.RegMR(p, test.addr, uint64(test.length), uint32(test.access))
		if test.want != 0 {
			t.Run(name, func(t *testing.T) { wantErrno(t, err, "ibv_reg_mr", test.want) })
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if mr != nil {
			wantNil(t, cverbs.DeregMR(mr))
		}
	}
	_, err := cverbs.RegMRIOVA(p, m, 10, 0x7001, 0)
	wantErrno(t, err, "ibv_reg_mr_iova", syscall.EINVAL)
	if o := d.Objects(); o != (Objects{Contexts: 1, PDs: 1}) {
		t.Errorf("%v left", o)
	}
}
