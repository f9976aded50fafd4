//go:build linux && cgo

package verbs

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

const localWrite = ibv.IBV_ACCESS_LOCAL_WRITE

// pins is how many regions have pinned memory.
func pins() int {
	pinnedMu.Lock()
	defer pinnedMu.Unlock()
	return len(pinned)
}

// mapped reports whether the process has something mapped at an address.
func mapped(t testing.TB, at uint64) bool {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		var from, to uint64
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err == nil && from <= at && at < to {
			return true
		}
	}
	return false
}

func TestRegMRPinsUntilClose(t *testing.T) {
	_, c := testDevice(t)
	pd := closing(t, must(c.AllocPD()))
	b := make([]byte, 10000, 20000)
	before := pins()
	m := must(pd.RegMR(b, localWrite))
	if m.Len() != 10000 || m.Addr() != uint64(uintptr(unsafe.Pointer(&b[0]))) || m.LKey() != m.Raw().LKey || m.RKey() != m.Raw().RKey || m.LKey() == 0 ||
		m.PD() != pd || &m.Bytes()[0] != &b[0] || cap(m.Bytes()) != 10000 || uint64(m.Raw().Addr) != m.Addr() || m.Raw().Length != 10000 {
		t.Errorf("%+v %+v", m, m.Raw())
	}
	if pins() != before+1 {
		t.Error("not pinned")
	}
	wantError(t, pd.Close(), "ibv_dealloc_pd", pd.name, syscall.EBUSY, m.name)
	lkey, addr := m.LKey(), m.Addr()
	for range 2 {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	if pins() != before || m.Bytes() != nil || m.Raw() != nil || m.All() != (ibv.SGE{}) || m.LKey() != lkey || m.Addr() != addr || m.Len() != 10000 {
		t.Error("after Close")
	}
	_, err := m.SGE(0, 1)
	wantClosed(t, err)
}

func TestAllocMRUnmapsAtClose(t *testing.T) {
	_, c := testDevice(t)
	pd := closing(t, must(c.AllocPD()))
	m := must(pd.AllocMR(3*4096+5, localWrite))
	if m.Len() != 3*4096+5 || m.Addr()%4096 != 0 || !mapped(t, m.Addr()) || !bytes.Equal(m.Bytes(), make([]byte, 3*4096+5)) {
		t.Errorf("%d bytes at %#x", m.Len(), m.Addr())
	}
	m.Bytes()[m.Len()-1] = 1
	if err := m.Close(); err != nil || mapped(t, m.Addr()) {
		t.Error("still mapped", err)
	}
	for _, size := range []int{0, -1, math.MinInt} {
		_, err := pd.AllocMR(size, localWrite)
		wantError(t, err, "ibv_reg_mr", pd.name, syscall.EINVAL, fmt.Sprint("size ", size))
	}
	for _, size := range []int{1 << 60, math.MaxInt} {
		_, err := pd.AllocMR(size, localWrite)
		wantError(t, err, "ibv_reg_mr", pd.name, syscall.ENOMEM, fmt.Sprintf("mapping %d bytes failed", size))
	}
}

func TestRegMRRefuses(t *testing.T) {
	d, c := testDeviceWith(t, softdev.Config{MaxMRSize: 1 << 20}, OpenAttr{})
	pd := closing(t, must(c.AllocPD()))
	before := calls(t, d, "reg_mr")
	for _, b := range [][]byte{nil, {}} {
		_, err := pd.RegMR(b, localWrite)
		wantError(t, err, "ibv_reg_mr", pd.name, syscall.EINVAL, "empty")
	}
	_, err := pd.RegMR(make([]byte, 10), ibv.IBV_ACCESS_ZERO_BASED)
	wantError(t, err, "ibv_reg_mr", pd.name, syscall.EINVAL, "IBV_ACCESS_ZERO_BASED")
	if n := calls(t, d, "reg_mr") - before; n != 0 {
		t.Errorf("%d calls", n)
	}
	for _, access := range []ibv.AccessFlags{ibv.IBV_ACCESS_REMOTE_WRITE, ibv.IBV_ACCESS_REMOTE_ATOMIC} {
		_, err = pd.RegMR(make([]byte, 10), access)
		wantError(t, err, "ibv_reg_mr", pd.name, syscall.EINVAL, access.String(), "needs IBV_ACCESS_LOCAL_WRITE")
	}
	_, err = pd.RegMR(make([]byte, 10), 1<<15)
	wantError(t, err, "ibv_reg_mr", pd.name, syscall.EINVAL, "0x8000")
	if n := d.Objects(); n.MRs != 0 {
		t.Error(n)
	}
}

// ENOMEM from registering memory is the limit on locked memory, most of the time.
func TestMemlockHint(t *testing.T) {
	d, c := testDeviceWith(t, softdev.Config{Memlock: 1 << 16}, OpenAttr{})
	pd := closing(t, must(c.AllocPD()))
	before := pins()
	for name, reg := range map[string]func() (*MR, error){
		"RegMR":   func() (*MR, error) { return pd.RegMR(make([]byte, 1<<17), localWrite) },
		"AllocMR": func() (*MR, error) { return pd.AllocMR(1<<17, localWrite) },
	} {
		_, err := reg()
		wantError(t, err, "ibv_reg_mr", pd.name, syscall.ENOMEM, "RLIMIT_MEMLOCK", "131072 bytes")
		if limit, ok := memlockLimit(); ok && !strings.Contains(err.Error(), fmt.Sprint(limit)) {
			t.Errorf("%s: %v does not name the limit, %d", name, err, limit)
		}
	}
	if pins() != before || d.Objects().MRs != 0 {
		t.Error("something is left")
	}
	// The number is that of the process.
	out, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if rest, ok := strings.CutPrefix(line, "Max locked memory"); ok {
			want := strings.Fields(rest)[0]
			limit, limited := memlockLimit()
			if got := fmt.Sprint(limit); limited && got != want || !limited && want != "unlimited" {
				t.Errorf("%v, %v, want %s", got, limited, want)
			}
		}
	}
}

// Registering is one verb, whichever function of the device the header's macro makes of it.
func TestRegisteringHasOneName(t *testing.T) {
	d, c := testDevice(t)
	pd := closing(t, must(c.AllocPD()))
	before := calls(t, d, "ibv_reg_mr")
	closing(t, must(pd.RegMR(make([]byte, 100), localWrite)))
	closing(t, must(pd.AllocMR(100, localWrite)))
	if n := calls(t, d, "ibv_reg_mr") - before; n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
	if _, err := d.Calls("ibv_reg_mr_iova2"); err == nil {
		t.Error("there are two names")
	}
}

func TestFailingRegistrationReleases(t *testing.T) {
	d, c := testDevice(t)
	pd := closing(t, must(c.AllocPD()))
	before := pins()
	for _, errno := range []syscall.Errno{syscall.ENOMEM, syscall.EINVAL, syscall.EFAULT, syscall.EOPNOTSUPP, 0} {
		ok(t, d.Fail("reg_mr", softdev.Fault{Errno: errno, NoErrno: errno == 0, Times: 2}))
		_, err := pd.RegMR(make([]byte, 100), localWrite)
		wantError(t, err, "ibv_reg_mr", pd.name, errno)
		_, err = pd.AllocMR(100, localWrite)
		wantError(t, err, "ibv_reg_mr", pd.name, errno)
		d.Heal()
	}
	if pins() != before || d.Objects().MRs != 0 {
		t.Error("something is left")
	}
	m := must(pd.AllocMR(100, localWrite))
	d.Fail("dereg_mr", softdev.Fault{Errno: syscall.EBUSY})
	wantError(t, m.Close(), "ibv_dereg_mr", m.name, syscall.EBUSY)
	if !mapped(t, m.Addr()) || m.Bytes() == nil {
		t.Error("memory is gone that the device may use")
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

func TestElements(t *testing.T) {
	_, c := testDevice(t)
	pd := closing(t, must(c.AllocPD()))
	m := closing(t, must(pd.AllocMR(1000, localWrite)))
	if s := m.All(); s != (ibv.SGE{Addr: m.Addr(), Length: 1000, LKey: m.LKey()}) {
		t.Errorf("%+v", s)
	}
	for _, p := range [][2]int{{0, 0}, {0, 1000}, {999, 1}, {1000, 0}, {10, 20}} {
		s, err := m.SGE(p[0], p[1])
		if err != nil || s != (ibv.SGE{Addr: m.Addr() + uint64(p[0]), Length: uint32(p[1]), LKey: m.LKey()}) {
			t.Errorf("%v: %+v, %v", p, s, err)
		}
	}
	for _, p := range [][2]int{{-1, 1}, {0, 1001}, {1000, 1}, {1001, 0}, {5, -1}, {math.MaxInt, 1}, {1, math.MaxInt}, {math.MinInt, math.MinInt}} {
		_, err := m.SGE(p[0], p[1])
		wantError(t, err, "ibv_post_send", m.name, syscall.EINVAL, fmt.Sprintf("offset %d, length %d", p[0], p[1]), "1000 bytes")
	}
	if raceSafe, err := pd.AllocMR(1<<32+10, localWrite); err == nil { // untouched, so it takes no memory
		if s := raceSafe.All(); s.Length != math.MaxUint32 {
			t.Errorf("%+v", s)
		}
		_, err := raceSafe.SGE(0, 1<<32)
		wantError(t, err, "ibv_post_send", raceSafe.name, syscall.EINVAL, "4294967296")
		if err := raceSafe.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Memory that the device may write to is never given to anybody else, whoever has lost the handle.
func TestLostRegionKeepsItsMemory(t *testing.T) {
	leaks := make(chan Leak, 10)
	d, err := softdev.New(softdev.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c := must(AdoptDevice(d.Raw(), "test", nil).OpenWith(OpenAttr{OnLeak: func(l Leak) { leaks <- l }}))
	pd := must(c.AllocPD())
	before := pins()
	var at uintptr
	func() {
		m := must(pd.RegMR(make([]byte, 4096), localWrite))
		m.Bytes()[7] = 77
		at = uintptr(m.Addr()) + 7
	}()
	l := collect(t, leaks)
	if !strings.HasPrefix(l.Object, "mr 1 on ") || !strings.Contains(string(l.Stack), "TestLostRegionKeepsItsMemory") {
		t.Errorf("%s\n%s", l.Object, l.Stack)
	}
	for range 5 {
		runtime.GC()
		_ = make([]byte, 1<<20)
	}
	if pins() != before+1 {
		t.Error("the memory is not kept")
	}
	if b := *(*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))); b != 77 {
		t.Errorf("the memory has become something else: %d", b)
	}
	wantError(t, pd.Close(), "ibv_dealloc_pd", pd.name, syscall.EBUSY, "mr 1 on softdev0, which nobody can close any more")
	wantError(t, c.Close(), "ibv_close_device", c.name, syscall.EBUSY, pd.name)
	runtime.KeepAlive(pd)
}
