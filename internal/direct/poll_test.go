//go:build linux && cgo

package direct_test

import (
	"errors"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/goverbs/ibv/internal/direct"
	"github.com/goverbs/ibv/internal/direct/ctest"
)

// An outcome is what has become of a poll or post.
type outcome struct {
	n      int
	err    error
	other  int // how often it went on otherwise
	result int // as it was told then
}

var errOther = errors.New("otherwise")

// poll polls by a gate, or none, and goes on otherwise with 77 and errOther.
func poll(g *direct.Gate, out unsafe.Pointer, n int) (r outcome) {
	var p direct.Poller
	p.Through(g)
	return pollBy(&p, out, n)
}

func pollBy(p *direct.Poller, out unsafe.Pointer, n int) (r outcome) {
	spoil(20)
	r.n, r.err = direct.Poll(p, out, n, func(samePoller *direct.Poller, sameOut unsafe.Pointer, sameN int) (int, error) {
		if samePoller != p || sameOut != out || sameN != n {
			panic("it goes on with other arguments")
		}
		r.other++
		r.result = p.Result()
		return 77, errOther
	})
	if p.Result() != 0 {
		panic("the result is told again")
	}
	wholly(r.err)
	return r
}

// wholly panics if an error is none, but not both its words are 0: the collector looks at the second.
func wholly(err error) {
	if words := (*[2]uintptr)(unsafe.Pointer(&err)); err == nil && words[1] != 0 {
		panic("half of an error")
	}
}

// spoil leaves something behind where results will be.
//
//go:noinline
func spoil(steps int) uintptr {
	local := [16]uintptr{}
	for i := range local {
		local[i] = math.MaxUint64 - uintptr(i)
	}
	if steps == 0 {
		return local[runtime.NumGoroutine()%16]
	}
	return spoil(steps-1) + local[steps%16]
}

// A gate that counts adds up results from 0 to what was asked for, and is left with them. With others the owner stays in.
func TestPoll(t *testing.T) {
	g, n := gate(t, ctest.NoteFunction)
	var count atomic.Uint64
	var here int
	count.Store(1 << 40)
	g.Count(&count)
	want := uint64(1 << 40)
	for _, c := range []struct {
		asked  int
		result int32
		held   bool
	}{
		{16, 0, false}, {16, 16, false}, {16, 17, true}, {16, -1, true}, {1, math.MinInt32, true}, {1, 1, false}, {1, 2, true}, {1, math.MaxInt32, true},
		{math.MaxInt32, math.MaxInt32, false}, {math.MaxInt32, -1, true}, {1, 0, false},
	} {
		n.Result = c.result
		got, as := poll(g, unsafe.Pointer(&here), c.asked), outcome{n: int(c.result)}
		if c.held {
			as = outcome{77, errOther, 1, direct.Held + int(c.result)}
			shut := make(chan struct{})
			go func() {
				defer close(shut)
				direct.Shut(g)
			}()
			select {
			case <-shut:
				t.Errorf("%+v: the owner is not in", c)
			case <-time.After(5 * time.Millisecond):
			}
			g.Leave()
			<-shut
		} else {
			want += uint64(c.result)
			direct.Shut(g)
		}
		if got != as || count.Load() != want || n.Value != int64(c.asked) || n.Pointer != unsafe.Pointer(&here) {
			t.Errorf("%+v: %+v, want %+v; counted %d, want %d; called with %d, %p", c, got, as, count.Load(), want, n.Value, n.Pointer)
		}
		g.Open()
		g.See()
	}
	if !g.Counted(5) || count.Load() != want+5 {
		t.Errorf("counted %d, want %d", count.Load(), want+5)
	}
	direct.Shut(g)
	g.Count(nil)
	g.Open()
	g.See()
	for result, want := range map[int32]outcome{0: {}, 1: {77, errOther, 1, direct.Held + 1}, -1: {77, errOther, 1, direct.Held - 1}} {
		n.Result = result
		if r := poll(g, nil, 1); r != want || g.Busy() != (result != 0) {
			t.Errorf("%d without a count: %+v, want %+v; the owner is in: %v", result, r, want, g.Busy())
		}
		g.Leave()
	}
	if g.Counted(5) {
		t.Error("it counts")
	}
	if n.Misaligned != 0 {
		t.Errorf("a frame %d bytes beside a multiple of 16", n.Misaligned)
	}
}

// Without a poller, a gate or a number that C takes, and through a gate that is shut, nothing is called.
func TestPollOfNothing(t *testing.T) {
	g, n := gate(t, ctest.NoteFunction)
	for name, got := range map[string]outcome{
		"no poller":       pollBy(nil, nil, 1),
		"no gate":         poll(nil, nil, 1),
		"nothing":         poll(g, nil, 0),
		"less":            poll(g, nil, -1),
		"the least":       poll(g, nil, math.MinInt),
		"more than C's":   poll(g, nil, math.MaxInt32+1),
		"1, in C's int":   poll(g, nil, 1<<32+1),
		"the most of all": poll(g, nil, math.MaxInt),
	} {
		if want := (outcome{77, errOther, 1, 0}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	direct.Shut(g)
	if got, want := poll(g, nil, 1), (outcome{77, errOther, 1, direct.Refused}); got != want {
		t.Errorf("shut: %+v, want %+v", got, want)
	}
	if n.Calls != 0 || g.Busy() {
		t.Errorf("%d calls; the owner is in: %v", n.Calls, g.Busy())
	}
}

// A poll that goes on otherwise is called by who has outcome, as its traceback says, and may have the stack grow and move, on which its arguments are.
func TestPollGoesOnOnTheCallersStack(t *testing.T) {
	g, _ := gate(t, ctest.NoteFunction)
	direct.Shut(g)
	for depth := range 64 {
		done := make(chan string)
		go func() { done <- pollOnANewStack(g, depth) }()
		if wrong := <-done; wrong != "" {
			t.Fatal(depth, wrong)
		}
	}
}

func pollOnANewStack(g *direct.Gate, depth int) (wrong string) {
	var p direct.Poller
	p.Through(g)
	var own [4]uint64
	own[3] = 5
	n, err := direct.Poll(&p, unsafe.Pointer(&own), depth+1, func(_ *direct.Poller, out unsafe.Pointer, n int) (int, error) {
		grow(n)
		runtime.GC()
		a := (*[4]uint64)(out)
		a[0], a[3] = uint64(n), a[3]+1
		var pcs [8]uintptr
		frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
		for f, more := frames.Next(); ; f, more = frames.Next() {
			if f.Func != nil && f.Func.Name() == "github.com/goverbs/ibv/internal/direct_test.pollOnANewStack" {
				return n, errOther
			}
			if !more {
				return -1, nil
			}
		}
	})
	switch {
	case n != depth+1 || err != errOther:
		return "who has outcome is not among the callers"
	case own != [4]uint64{uint64(depth + 1), 0, 0, 6}:
		return "the array has moved without the pointer"
	}
	return ""
}

func TestPollMakesNoGarbage(t *testing.T) {
	g, n := gate(t, ctest.NoteFunction)
	var p direct.Poller
	p.Through(g)
	var count atomic.Uint64
	g.Count(&count)
	n.Result = 1
	if n := testing.AllocsPerRun(1000, func() {
		var own [4]uint64
		if n, err := direct.Poll(&p, unsafe.Pointer(&own), 4, otherwise); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		if n, err := direct.Poll(nil, unsafe.Pointer(&own), 4, otherwise); n != 4 || err != nil {
			t.Fatal(n, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func otherwise(_ *direct.Poller, _ unsafe.Pointer, n int) (int, error) { return n, nil }
