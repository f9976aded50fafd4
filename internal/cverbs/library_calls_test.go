//go:build linux && cgo

package cverbs

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs/internal/ctest"
)

// answers runs a C program that calls the installed library's functions that need no device, and returns what they answered, by
// function and argument.
func answers(t *testing.T) map[string]map[int]string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "answers")
	run(t, "gcc", "-Wall", "-Wextra", "-Werror", "-o", program, filepath.Join("testdata", "answers.c"), "-libverbs")
	r := map[string]map[int]string{}
	for line := range strings.Lines(run(t, program)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(f) != 3 {
			t.Fatalf("line %q", line)
		}
		i, err := strconv.Atoi(f[1])
		if err != nil {
			t.Fatal(err)
		}
		if r[f[0]] == nil {
			r[f[0]] = map[int]string{}
		}
		r[f[0]][i] = f[2]
	}
	return r
}

// conversions are asked about all numbers from -10 to this; the program prints no answers that are 0.
const mostConverted = 2_000_000

// Functions that need no device answer what they answer C programs.
func TestLibraryAnswers(t *testing.T) {
	want := answers(t)
	one := func(name string, i int, got string) {
		t.Helper()
		if got != want[name][i] {
			t.Errorf("%s(%d): %q, in C %q", name, i, got, want[name][i])
		}
	}
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	if before := IsForkInitialized(); before == ibv.IBV_FORK_DISABLED { // it is on for good once this test has run
		one("is_fork_initialized", 0, number(int64(before)))
	}
	one("fork_init", 0, number(int64(errnoIn(ForkInit()))))
	one("is_fork_initialized", 1, number(int64(IsForkInitialized())))
	for i := -10; i < 300; i++ {
		one("node_type_str", i, NodeTypeStr(ibv.NodeType(i)))
		one("port_state_str", i, PortStateStr(ibv.PortState(i)))
		one("event_type_str", i, EventTypeStr(ibv.EventType(i)))
		one("wc_status_str", i, WCStatusStr(ibv.WCStatus(i)))
		one("rate_to_mult", i, number(int64(RateToMult(ibv.Rate(i)))))
		one("rate_to_mbps", i, number(int64(RateToMbps(ibv.Rate(i)))))
		one("rate_to_mult", i, orMinus1(ibv.Rate(i).Mult()))
		one("rate_to_mbps", i, orMinus1(ibv.Rate(i).Mbps()))
	}
	for i := -10; i <= mostConverted; i++ {
		if r := MultToIbvRate(int32(i)); r != 0 || want["mult_to_rate"][i] != "" {
			one("mult_to_rate", i, number(int64(r)))
		}
		if r := MbpsToIbvRate(int32(i)); r != 0 || want["mbps_to_rate"][i] != "" {
			one("mbps_to_rate", i, number(int64(r)))
		}
		if r, ok := ibv.RateOfMult(i); ok || want["mult_to_rate"][i] != "" {
			one("mult_to_rate", i, number(int64(r)))
		}
		if r, ok := ibv.RateOfMbps(i); ok || want["mbps_to_rate"][i] != "" {
			one("mbps_to_rate", i, number(int64(r)))
		}
	}
	if len(want["mult_to_rate"]) < 10 || len(want["mbps_to_rate"]) < 15 {
		t.Errorf("C knows only the rates %v and %v", want["mult_to_rate"], want["mbps_to_rate"])
	}
	list, err := GetDeviceList(new(int32))
	one("device_list", 0, number(int64(errnoIn(err))))
	if err == nil {
		FreeDeviceList(list)
	}
	devices, free, err := Devices()
	one("devices", 0, number(int64(len(devices))))
	if err != nil {
		t.Error(err)
	}
	free()
	_, err = ImportDevice(-1)
	one("import_device", -1, number(int64(errnoIn(err))))
	if err == nil {
		t.Error("no error from a context that is none")
	}
}

// orMinus1 is C's way to tell an unknown rate.
func orMinus1(n int, ok bool) string {
	if !ok {
		n = -1
	}
	return strconv.Itoa(n)
}

// Inlines that compute something agree with C for all arguments that matter.
func TestInlineAnswers(t *testing.T) {
	want := answers(t)
	hash := func(name string, n int, f func(i int) uint64) {
		t.Helper()
		h := uint64(0)
		for i := range n {
			h = h*31 + f(i)
		}
		if got := strconv.FormatUint(h, 10); got != want[name][0] {
			t.Errorf("%s: hash %s, in C %s", name, got, want[name][0])
		}
	}
	hash("flow_labels", 1<<20, func(i int) uint64 { return uint64(FlowLabelToUDPSport(uint32(i))) })
	hash("rkeys", 1<<20, func(i int) uint64 { return uint64(IncRKey(uint32(i) * 4099)) })
	hash("qp_types", 1<<12*12, func(i int) uint64 {
		if IsQptSupported(uint32(i/12), ibv.QPType(i%12)) != 0 {
			return 1
		}
		return 0
	})
}

// errnoIn returns the errno value in an error, 0 if there is no error.
func errnoIn(err error) syscall.Errno {
	var e *Error
	if errors.As(err, &e) {
		return e.Errno
	}
	return 0
}

// Objects that no provider has registered go to the library, while one has others.
func TestLibraryObjects(t *testing.T) {
	_, context := open(t, 0)
	queues(t, context, 1)
	cq := (*ibv.CQ)(alloc(t, 4096))
	cq.Context = (*ibv.Context)(alloc(t, 4096))
	AckCQEvents(cq, 5)
	AckCQEvents(cq, 37)
	if cq.CompEventsCompleted != 42 {
		t.Errorf("%d events acknowledged, want 42", cq.CompEventsCompleted)
	}
	event := &ibv.AsyncEvent{EventType: ibv.IBV_EVENT_CQ_ERR}
	event.Element.SetCQ(uintptr(unsafe.Pointer(cq)))
	AckAsyncEvent(event)
	AckAsyncEvent(&ibv.AsyncEvent{EventType: ibv.IBV_EVENT_DEVICE_FATAL})
	if cq.AsyncEventsCompleted != 1 {
		t.Errorf("%d asynchronous events acknowledged, want 1", cq.AsyncEventsCompleted)
	}
	device := (*ibv.Device)(alloc(t, 4096))
	copy(device.Name[:], "made_up0")
	if got := GetDeviceName(device); got != "made_up0" {
		t.Errorf("device name %q", got)
	}
	// The library returns NULL for a QP that is not extended, and says no more.
	ex, err := QPToQPEx((*ibv.QP)(alloc(t, 4096)))
	if e := (*Error)(nil); ex != nil || !errors.As(err, &e) || e.Verb != "ibv_qp_to_qp_ex" {
		t.Errorf("%p, %v", ex, err)
	}
}

// What a library is too old for is not supported, and the error says what would be needed.
func TestLibraryLacks(t *testing.T) {
	a := verbsLike.build(t, "libibverbs.so.1")
	if r := child(t, nil, "set "+a, "lacks"); r[1].Err != "" {
		t.Error(r[1].Err)
	}
}

// callLacking calls verbs that no library has that was made up for tests.
func callLacking(_ []string, o *outcome) {
	memory := ctest.Alloc(4096)
	defer ctest.Free(memory)
	context, buf := (*ibv.Context)(memory), (**ibv.Buf)(unsafe.Add(memory, 2048))
	pd := &ibv.PD{Context: context}
	counter := &ibv.CompCntr{Context: context}
	for v, call := range map[Verb]func() error{
		VerbAllocDmah:         func() error { _, err := AllocDmah(context, &ibv.DmahInitAttr{}); return err },
		VerbAllocBuf:          func() error { _, err := AllocBuf(pd, 1, buf); return err },
		VerbRegMREx:           func() error { _, err := RegMREx(pd, &ibv.MRInitAttr{}); return err },
		VerbQueryPortSpeed:    func() error { return QueryPortSpeed(context, 1, new(uint64)) },
		VerbSetCompCntr:       func() error { return SetCompCntr(counter, 1) },
		VerbQueryCompCntrCaps: func() error { return QueryCompCntrCaps(context, &ibv.CompCntrCaps{}) },
	} {
		err := call()
		e := (*Error)(nil)
		if !errors.As(err, &e) || e.Errno != syscall.ENOSYS || !errors.Is(err, ErrNotSupported) || errors.Is(err, ErrNoLibrary) ||
			e.Symbol != v.info().symbol || e.Version != v.info().version || e.Release != "65.0" || e.Library == "" {
			o.set(fmt.Errorf("%v: %#v, want an *Error that names symbol, version and release", v, err))
		}
	}
}
