//go:build linux && cgo

package cverbs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs/internal/testprovider"
)

// thunksVariable has the path of a library whose functions note their calls, in the process that calls everything.
const thunksVariable = "IBVGO_TEST_THUNKS"

// noting makes a library that has every exported function of the table. Each calls what is in its place of ibvtest_slots.
func noting(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var code, script strings.Builder
	fmt.Fprintf(&code, "typedef unsigned long word;\nword (*ibvtest_slots[%d])(word, word, word, word, word, word);\n", len(verbTable))
	versions := map[string][]string{}
	for i, v := range verbTable {
		if v.symbol != v.name {
			continue
		}
		fmt.Fprintf(&code, "word %s(word a, word b, word c, word d, word e, word f) { return ibvtest_slots[%d](a, b, c, d, e, f); }\n", v.name, i)
		versions[v.version] = append(versions[v.version], v.name)
	}
	versions["IBVTEST"] = []string{"ibvtest_slots"}
	for version, symbols := range versions {
		fmt.Fprintf(&script, "%s { global: %s; };\n", version, strings.Join(symbols, "; "))
	}
	write(t, filepath.Join(dir, "lib.c"), code.String())
	write(t, filepath.Join(dir, "lib.map"), script.String())
	path := filepath.Join(dir, "libibverbs.so.1")
	run(t, "gcc", "-shared", "-fPIC", "-O1", "-o", path, filepath.Join(dir, "lib.c"), "-Wl,--version-script="+filepath.Join(dir, "lib.map"),
		"-Wl,-soname,libibverbs.so.1")
	return path
}

// Every call of the package is made, in a process of its own: on objects of a provider in the process, where all operations and
// exported functions note their calls, then on objects that are nobody's, so that the exported functions of a library are called.
// The right one is called once; arguments and results, and data both ways, arrive as they are; each way to fail becomes an error.
// With the build tag ibvcount, the counters have all of them.
func TestEveryThunkCalled(t *testing.T) {
	path, ok := os.LookupEnv(thunksVariable)
	if !ok {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestEveryThunkCalled$", "-test.v")
		cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", thunksVariable+"="+noting(t))
		stop := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
		defer stop.Stop()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v:\n%.20000s", err, brief(string(out)))
		}
		return
	}
	if err := SetLibrary(path, ""); err != nil {
		t.Fatal(err)
	}
	if err := testprovider.Hook(path, librarySlot(0), len(verbTable)); err != nil {
		t.Fatal(err)
	}
	t.Run("provider", func(t *testing.T) { callAll(t, true) })
	t.Run("library", func(t *testing.T) { callAll(t, false) })
	checkCounts(t)
}

// brief drops the lines of what went well.
func brief(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if strings.HasPrefix(line, "goroutine ") && b.Len() > 0 && strings.Contains(b.String(), "goroutine ") {
			break // the first one's stack is enough
		}
		if !strings.Contains(line, "--- PASS") && !strings.HasPrefix(strings.TrimSpace(line), "=== ") {
			b.WriteString(line)
		}
	}
	if i := strings.LastIndex(s, "=== RUN"); i >= 0 {
		last, _, _ := strings.Cut(s[i:], "\n")
		b.WriteString("the last was " + last + "\n")
	}
	return b.String()
}

func callAll(t *testing.T, registered bool) {
	for v := range Verb(len(verbTable)) {
		if v.info().goName == "" {
			continue
		}
		t.Run(v.String(), func(t *testing.T) {
			if everyCall[v] == nil {
				t.Fatalf("everyCall lacks Verb%s: %s", v.info().goName, v.info().goName)
			}
			w := newWorld(t, registered)
			if plainCall[v] != nil {
				plainCall[v](t, w)
				return
			}
			callOne(t, w, v)
		})
	}
}

// reached returns the number of the function that a call is to reach.
func (w *world) reached(v Verb) (slot int, extended, ok bool) {
	name := v.String()
	slot, extended, ok = w.member(v.info().goName)
	if v.info().kind == "inline" && v.info().symbol == "" {
		return slot, extended, ok
	}
	if name == "ibv_query_port" { // a macro, which asks the extended context first
		return slot, extended, ok
	}
	if s := v.info().symbol; s != "" && s != name {
		v = named(s)
	}
	if name == "ibv_reg_mr" || name == "ibv_reg_mr_iova" {
		v = named("ibv_reg_mr_iova2") // the macros go there unless the access flags are constants
	}
	if w.registered && !objectless[name] {
		return providerSlot(v), false, true
	}
	return librarySlot(v), false, true
}

// objectless are the exported functions that have no object which leads to a provider.
var objectless = map[string]bool{
	"ibv_event_type_str": true, "ibv_fork_init": true, "ibv_free_device_list": true, "ibv_get_device_list": true, "ibv_import_device": true,
	"ibv_is_fork_initialized": true, "ibv_node_type_str": true, "ibv_port_state_str": true, "ibv_rate_to_mbps": true, "ibv_rate_to_mult": true,
	"ibv_wc_status_str": true, "mbps_to_ibv_rate": true, "mult_to_ibv_rate": true,
}

func callOne(t *testing.T, w *world, v Verb) {
	in := w.invocation(v)
	slot, extended, ok := w.reached(v)
	if !ok {
		t.Fatal("it is not known what it calls")
	}
	r := newResults(t)
	result, want := in.success(r)
	out := in.call(result, 0, true)
	if err := in.failed(out); err != nil || first(out) != want {
		t.Errorf("returned %s and error %v, want %s and none", first(out), err, want)
	}
	in.check(slot)
	// A success is one, whatever is in errno.
	out = in.call(result, syscall.EBADF, false)
	if err := in.failed(out); err != nil || first(out) != want {
		t.Errorf("with errno set it returned %s and error %v, want %s and none", first(out), err, want)
	}
	in.fail()
	if w.registered && slot < len(verbTable) {
		w.ops[slot] = 0
		in.absent(result, syscall.EOPNOTSUPP)
	}
	switch v {
	case VerbQueryPort, VerbQueryDeviceEx: // they have exported functions to fall back on
		extended = false
	case VerbCloseXRCD: // the header does not ask whether it is there, since nobody has an XRCD without it
		extended = false
	}
	if extended {
		w.withoutMember(in, slot, result)
	}
}

// fail makes the operation fail in each way that its form has.
func (in *invocation) fail() {
	in.t.Helper()
	const minus1 = ^uint64(0)
	minus := func(n int) uint64 { return uint64(-n) }
	switch in.info.fails {
	case "null":
		in.wantError(0, syscall.ENOMEM, syscall.ENOMEM)
		in.wantError(0, 0, 0)
	case "errno":
		in.wantError(uint64(syscall.EBUSY), 0, syscall.EBUSY)
		in.wantError(minus(int(syscall.EBUSY)), 0, syscall.EBUSY)
		in.wantError(uint64(syscall.EBUSY), syscall.ENOMEM, syscall.EBUSY)
	case "minus1":
		in.wantError(minus1, syscall.EAGAIN, syscall.EAGAIN)
		in.wantError(minus1, 0, 0)
		if in.fn.Type().NumOut() > 1 {
			break // other values are what was asked for, or codes of errors
		}
		in.wantError(uint64(syscall.EBUSY), 0, syscall.EBUSY)
		in.wantError(uint64(syscall.EBUSY), syscall.ENOMEM, syscall.ENOMEM)
		in.wantError(minus(int(syscall.EOPNOTSUPP)), 0, syscall.EOPNOTSUPP)
		in.wantError(minus(5000), 0, 0)
		in.wantError(minus(5000), syscall.EINVAL, syscall.EINVAL)
	case "negative":
		in.wantError(minus(int(syscall.EINVAL)), 0, syscall.EINVAL)
		in.wantError(minus(int(syscall.EINVAL)), syscall.ENOMEM, syscall.EINVAL)
		in.wantError(minus1, 0, 0)
	case "none":
	default:
		in.t.Errorf("fails in a way called %q", in.info.fails)
	}
}

func (in *invocation) wantError(result uint64, errno, want syscall.Errno) {
	in.t.Helper()
	out := in.call(result, errno, false)
	err := in.failed(out)
	var e *Error
	if !errors.As(err, &e) || e.Verb != in.info.name || e.Errno != want || want != 0 && !errors.Is(err, want) {
		in.t.Errorf("result %d, errno %d: %#v, want an *Error of %s with errno %d", int64(result), errno, err, in.info.name, want)
	}
	if len(out) == 2 && out[0].Kind() == reflect.Pointer && !out[0].IsNil() {
		in.t.Errorf("result %d: a pointer beside the error", int64(result))
	}
}

// absent calls a function that is not there.
func (in *invocation) absent(result uint64, want syscall.Errno) {
	in.t.Helper()
	out := in.call(result, 0, false)
	if calls := testprovider.Calls(); len(calls) != 0 {
		in.t.Errorf("calls %+v of a function that is not there", calls)
	}
	if in.info.fails == "none" {
		if s := first(out); s != "" && s != "0" {
			in.t.Errorf("without the function it returned %s", s)
		}
		return
	}
	if err := in.failed(out); !errors.Is(err, want) || !errors.Is(err, ErrNotSupported) || !errors.Is(err, errors.ErrUnsupported) {
		in.t.Errorf("without the function: %v, want ErrNotSupported with errno %d", err, want)
	}
}

// withoutMember calls an inline whose operation is NULL, then one whose library is too old to have it.
func (w *world) withoutMember(in *invocation, slot int, result uint64) {
	in.t.Helper()
	words := unsafe.Slice((*uintptr)(unsafe.Pointer(w.extended)), unsafe.Offsetof(w.extended.Context)/8)
	for i, word := range words {
		if word != testprovider.Slot(slot) {
			continue
		}
		words[i] = 0
		in.absent(result, syscall.EOPNOTSUPP)
		words[i] = word
		w.extended.Sz = uint64(unsafe.Sizeof(*w.extended)) - 8*uint64(i)
		in.call(result, 0, false)
		if len(testprovider.Calls()) != 1 {
			in.t.Errorf("a library that has just room for it is not called: %+v", testprovider.Calls())
		}
		w.extended.Sz -= 8
		in.absent(result, syscall.EOPNOTSUPP)
		w.extended.Sz = uint64(unsafe.Sizeof(*w.extended))
		w.context.ABICompat = 0
		in.absent(result, syscall.EOPNOTSUPP)
		w.context.ABICompat = ^uintptr(0)
		return
	}
	in.t.Error("its operation is not in the extended context")
}

// plainCall has the calls that reach no operation.
var plainCall = map[Verb]func(*testing.T, *world){
	VerbIncRKey: func(t *testing.T, _ *world) {
		for rkey, want := range map[uint32]uint32{0x12345678: 0x12345679, 0x123456ff: 0x12345600, 0xffffffff: 0xffffff00, 0: 1} {
			if got := IncRKey(rkey); got != want {
				t.Errorf("IncRKey(%#x) = %#x, want %#x", rkey, got, want)
			}
		}
	},
	VerbCQExToCQ: func(t *testing.T, w *world) {
		p := (*ibv.CQEx)(alloc(t, int(unsafe.Sizeof(ibv.CQEx{}))))
		if got := CQExToCQ(p); unsafe.Pointer(got) != unsafe.Pointer(p) {
			t.Errorf("%p, want %p", got, p)
		}
	},
	VerbIsQptSupported: func(t *testing.T, _ *world) {
		for qpt, want := range map[ibv.QPType]bool{ibv.IBV_QPT_RC: true, ibv.IBV_QPT_UD: false, ibv.IBV_QPT_RAW_PACKET: true} {
			if got := IsQptSupported(1<<ibv.IBV_QPT_RC|1<<ibv.IBV_QPT_RAW_PACKET, qpt); got != 0 != want {
				t.Errorf("type %d: %d, want %v", qpt, got, want)
			}
		}
	},
	VerbFlowLabelToUDPSport: func(t *testing.T, _ *world) {
		// The high 6 bits of the 20 are folded onto the low 14, and the two top bits of a port for RoCE are ones.
		for label, want := range map[uint32]uint16{0: 0xc000, 1: 0xc001, 0x3fff: 0xffff, 0x4000: 0xc001, 0xfffff: 0xffff ^ 0x3f, 0x12345: 0xe341} {
			if got := FlowLabelToUDPSport(label); got != want {
				t.Errorf("label %#x: %#x, want %#x", label, got, want)
			}
		}
	},
}

// checkCounts wants each verb that has a Go call counted.
func checkCounts(t *testing.T) {
	counts := Counts()
	if counts == nil {
		return // not built with ibvcount
	}
	for i, n := range counts {
		if info := Verb(i).info(); n == 0 && info.goName != "" {
			t.Errorf("%s was never called", info.name)
		} else if n == 0 {
			t.Logf("%s (%s) has no Go call, and was not called", info.name, info.kind)
		}
	}
}
