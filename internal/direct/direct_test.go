//go:build linux && cgo

package direct_test

import (
	"bytes"
	"math"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/goverbs/ibv/internal/direct"
	"github.com/goverbs/ibv/internal/direct/ctest"
)

// gate makes an open gate, on a stack of its own, to a function that gets the note.
func gate(t testing.TB, fn uintptr) (*direct.Gate, *ctest.Note) {
	t.Helper()
	return gateWith(t, fn, new(uint32), 0, 0)
}

func gateWith(t testing.TB, fn uintptr, level *uint32, least, most uint32) (*direct.Gate, *ctest.Note) {
	t.Helper()
	if why := direct.Available(); why != "" {
		t.Skip(why)
	}
	s, err := direct.NewStack()
	if err != nil {
		t.Fatal(err)
	}
	n := ctest.NewNote()
	g := direct.NewGate(s, fn, n.Object(), level, least, most)
	t.Cleanup(func() {
		direct.Shut(g)
		s.Free()
		n.Free()
	})
	return g, n
}

// Arguments and results arrive, on a stack that is aligned as C wants it, and of which there is enough.
func TestCall(t *testing.T) {
	g, n := gate(t, ctest.NoteFunction)
	var here int
	for i, result := range []int32{0, 1, -1, math.MaxInt32, math.MinInt32} {
		n.Result = result
		got := g.Call(uintptr(100+i), unsafe.Pointer(&here))
		g.Leave()
		if got != int(result) || n.Value != int64(100+i) || n.Pointer != unsafe.Pointer(&here) || n.Calls != uint64(i+1) {
			t.Errorf("%d, want %d; %+v", got, result, n)
		}
	}
	if n.Misaligned != 0 || n.Stack == 0 {
		t.Errorf("a frame %d bytes beside a multiple of 16", n.Misaligned)
	}
	if here := uintptr(unsafe.Pointer(&here)); n.Stack > here-1<<20 && n.Stack < here+1<<20 {
		t.Error("C has run on the goroutine's stack")
	}
}

// Registers that C may change, and g, are as Go wants them afterwards; goroutines' stacks may be as small as they are.
func TestRegisters(t *testing.T) {
	g, n := gate(t, ctest.Clobber)
	a, b, c, d := 1.5, 2.5, 3, 4
	for i := range 10000 {
		if r := g.Call(uintptr(i), nil); r != i {
			t.Fatal(r, i)
		}
		g.Leave()
		var zero [8]uint64 // cleared by the zero register
		m := map[int]*[8]uint64{i: &zero}
		if *m[i] != [8]uint64{} {
			t.Fatal("zero is not zero")
		}
		a, b, c, d = a+1, b+1, c+1, d+1
	}
	if a != 10001.5 || b != 10002.5 || c != 10003 || d != 10004 || n.Calls != 10000 {
		t.Error(a, b, c, d, n.Calls)
	}
}

func TestStackSize(t *testing.T) {
	g, _ := gate(t, ctest.Deep)
	for range 3 {
		if r := g.Call(direct.StackSize-8192, nil); r != 1 {
			t.Error(r)
		}
		g.Leave()
	}
}

func TestLevel(t *testing.T) {
	level := new(uint32)
	g, n := gateWith(t, ctest.NoteFunction, level, 3, 6)
	n.Result = -7
	calls := map[string]func() int{
		"Call": func() int { return g.Call(1, nil) },
		"Poll": func() int { r := poll(g, nil, 1); return r.result },
	}
	results := map[string]int{"Call": -7, "Poll": direct.Held - 7}
	for value, in := range map[uint32]bool{0: false, 2: false, 3: true, 4: true, 6: true, 7: false, math.MaxUint32: false} {
		*level = value
		for name, call := range calls {
			before := n.Calls
			r, want := call(), direct.Refused
			if in {
				want = results[name]
			}
			if r != want || (n.Calls != before) != in || g.Busy() != in {
				t.Errorf("%s, level %d: %d, want %d; %d calls; the owner is in: %v", name, value, r, want, n.Calls-before, g.Busy())
			}
			g.Leave()
		}
	}
	*level = 3
	direct.Shut(g)
	for name, call := range calls {
		if r := call(); r != direct.Refused || g.Busy() {
			t.Errorf("%s, shut: %d; the owner is in: %v", name, r, g.Busy())
		}
	}
}

// A gate refuses from Shut on, and until its owner has seen that it is open.
func TestShut(t *testing.T) {
	g, n := gate(t, ctest.NoteFunction)
	want := func(what string, in bool) {
		t.Helper()
		before := n.Calls
		r, entered := g.Call(0, nil), false
		if r != direct.Refused {
			g.Leave()
		}
		if entered = g.Enter(); entered {
			g.Leave()
		}
		if (r == 0) != in || entered != in || (n.Calls != before) != in {
			t.Errorf("%s: call %d, entered %v, %d calls", what, r, entered, n.Calls-before)
		}
	}
	want("new", true)
	direct.Shut(g)
	want("shut", false)
	g.See()
	want("shut, and looked", false)
	direct.Shut(g)
	want("shut twice", false)
	g.Open()
	want("open, and not looked", false)
	g.See()
	want("open", true)
	g.Open()
	want("open twice", true)
	direct.Shut(g)
	g.Open()
	direct.Shut(g)
	g.Open()
	want("anew", false)
}

// Shut waits for the call that is in.
func TestShutWaits(t *testing.T) {
	g, n := gate(t, ctest.Stay)
	var left atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.Call(20000, nil)
		left.Store(true)
		g.Leave()
	}()
	for atomic.LoadUint32(&n.Inside) == 0 {
		runtime.Gosched()
	}
	direct.Shut(g)
	if !left.Load() || n.Calls != 1 {
		t.Error("a call was in when Shut returned")
	}
	<-done
}

// Nobody is in while a gate is shut, however often that happens: what C would touch is gone.
func TestShutBesideCalls(t *testing.T) {
	g, n := gate(t, ctest.Touch)
	var stop atomic.Bool
	var wg sync.WaitGroup
	var refused, calls atomic.Uint64
	wg.Go(func() {
		for !stop.Load() {
			if g.Call(0, nil) == direct.Refused {
				refused.Add(1)
				g.See()
				continue
			}
			calls.Add(1)
			g.Leave()
		}
	})
	seen := func() bool { return refused.Load() > 0 && calls.Load() > 0 }
	for start := time.Now(); time.Since(start) < 500*time.Millisecond || !seen() && time.Since(start) < 20*time.Second; time.Sleep(10 * time.Microsecond) {
		direct.Shut(g)
		n.Gone = 1
		for range 100 {
			runtime.Gosched()
		}
		n.Gone = 0
		g.Open()
	}
	stop.Store(true)
	wg.Wait()
	if n.Touched != 0 || n.Calls != calls.Load() || !seen() {
		t.Errorf("%d calls beside the closer; %d calls counted, %d made, %d refused", n.Touched, n.Calls, calls.Load(), refused.Load())
	}
}

// An owner who comes at the very moment at which a gate is shut is seen, or sees it. Without the kernel's fence both stores may still
// be on their way when the other side looks: on x86, too, if both processors have the gate's line, once in some thousand times.
func TestShutAtTheVeryMoment(t *testing.T) {
	g, _ := gate(t, ctest.Touch)
	const rounds = 30000
	until := time.Now().Add(10 * time.Second) // on a busy machine a meeting takes long
	var meet [2]struct {
		at atomic.Int64
		_  [120]byte
	}
	together := func(me int) {
		at := meet[me].at.Add(1)
		for n := 0; meet[1-me].at.Load() < at; n++ {
			if n > 1000 {
				runtime.Gosched() // there may be one processor only
			}
		}
	}
	var shut, enough atomic.Bool
	var wg sync.WaitGroup
	in, beside, done := 0, 0, 0
	wg.Go(func() {
		for round := range rounds {
			g.See()
			together(0)
			for range round % 37 { // at various distances
				_ = shut.Load()
			}
			if g.Enter() {
				in++
				for range 200 {
					if shut.Load() {
						beside++
						break
					}
				}
				g.Leave()
			}
			together(0)
			together(0)
			if enough.Load() {
				return
			}
		}
	})
	for round := range rounds {
		together(1)
		for range round % 31 {
			_ = shut.Load()
		}
		direct.Shut(g)
		shut.Store(true)
		together(1)
		shut.Store(false)
		g.Open()
		done = round + 1
		late := time.Now().After(until)
		enough.Store(late)
		together(1)
		if late {
			break
		}
	}
	wg.Wait()
	if beside != 0 {
		t.Errorf("%d of %d calls were in when Shut had returned", beside, in)
	}
	if in == 0 || in == done {
		t.Errorf("%d of %d calls have got in", in, done)
	}
}

// Collections, growing stacks, profiles and signals beside a caller, and in its call.
func TestCallBesideTheRuntime(t *testing.T) {
	g, n := gate(t, ctest.Clobber)
	long, m := gate(t, ctest.Stay)
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			runtime.GC()
		}
	})
	wg.Go(func() {
		for !stop.Load() {
			_ = syscall.Kill(syscall.Getpid(), syscall.SIGURG)
			time.Sleep(50 * time.Microsecond)
		}
	})
	wg.Go(func() {
		for !stop.Load() {
			grow(64)
			runtime.Gosched()
		}
	})
	var profile bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err != nil {
		t.Fatal(err)
	}
	calls := uint64(0)
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		for i := range 1000 {
			local := i
			if r := g.Call(uintptr(local), unsafe.Pointer(&local)); r != i {
				t.Fatal(r, i)
			}
			g.Leave()
			calls++
		}
		long.Call(500, nil)
		long.Leave()
		grow(16)
	}
	pprof.StopCPUProfile()
	stop.Store(true)
	wg.Wait()
	if n.Calls != calls || m.Calls == 0 {
		t.Errorf("%d calls arrived, of %d", n.Calls, calls)
	}
}

// grow uses a kilobyte of stack for each step.
//
//go:noinline
func grow(steps int) byte {
	var local [1024]byte
	if steps == 0 {
		return local[0]
	}
	local[steps%1024] = 1
	return grow(steps-1) + local[(steps+1)%1024]
}

func TestCallMakesNoGarbage(t *testing.T) {
	g, _ := gate(t, ctest.NoteFunction)
	if n := testing.AllocsPerRun(1000, func() {
		var own [4]uint64
		g.Call(4, unsafe.Pointer(&own))
		g.Leave()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestStackIsFreedOnce(t *testing.T) {
	s, err := direct.NewStack()
	if err != nil {
		t.Fatal(err)
	}
	s.Free()
	s.Free()
}

func BenchmarkCall(b *testing.B) {
	g, _ := gate(b, ctest.Touch)
	for b.Loop() {
		g.Call(0, nil)
		g.Leave()
	}
}

func BenchmarkShut(b *testing.B) {
	g, _ := gate(b, ctest.Touch)
	for b.Loop() {
		direct.Shut(g)
		g.Open()
	}
}
