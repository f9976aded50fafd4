//go:build linux

package verbs

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"github.com/goverbs/ibv"
)

// A request is in memory as struct ibv_send_wr has it: offsets are those of the C compiler.
func TestSendRequestLayout(t *testing.T) {
	r, err := NewSendRequests(2, 3, 8)
	if err != nil {
		t.Fatal(err)
	}
	list := []ibv.SGE{{Addr: 1, Length: 2, LKey: 3}, {Addr: 4, Length: 5, LKey: 6}}
	if err := r.Set(0, SendWR{WRID: 0x1122334455667788, Opcode: ibv.IBV_WR_RDMA_WRITE_WITH_IMM, Flags: ibv.IBV_SEND_SIGNALED | ibv.IBV_SEND_SOLICITED,
		SGList: list, ImmData: 0x0a0b0c0d, RemoteAddr: 0x99, RKey: 0x77}); err != nil {
		t.Fatal(err)
	}
	w := r.At(0)
	if w.WRID != 0x1122334455667788 || w.Next != r.At(1) || w.SGList != r.SGE(0, 0) || w.NumSGE != 2 || w.Opcode != ibv.IBV_WR_RDMA_WRITE_WITH_IMM ||
		w.SendFlags != 6 || w.WR.RDMA().RemoteAddr != 0x99 || w.WR.RDMA().RKey != 0x77 || *r.SGE(0, 1) != list[1] {
		t.Errorf("%+v", w)
	}
	if raw := (*[128]byte)(unsafe.Pointer(w)); !bytes.Equal(raw[36:40], []byte{10, 11, 12, 13}) {
		t.Errorf("imm_data % x", raw[36:40])
	}
	for _, op := range []ibv.WROpcode{ibv.IBV_WR_SEND_WITH_INV, ibv.IBV_WR_LOCAL_INV} {
		if err := r.Set(1, SendWR{Opcode: op, InvalidateRKey: 0x01020304, ImmData: 5}); err != nil || r.At(1).InvalidateRKey() != 0x01020304 {
			t.Errorf("%v: %#x, %v", op, r.At(1).InvalidateRKey(), err)
		}
	}
	for _, op := range []ibv.WROpcode{ibv.IBV_WR_ATOMIC_CMP_AND_SWP, ibv.IBV_WR_ATOMIC_FETCH_AND_ADD} {
		if err := r.Set(1, SendWR{Opcode: op, RemoteAddr: 8, RKey: 9, CompareAdd: 10, Swap: 11}); err != nil {
			t.Fatal(err)
		}
		if a := r.At(1).WR.Atomic(); a.RemoteAddr != 8 || a.RKey != 9 || a.CompareAdd != 10 || a.Swap != 11 {
			t.Errorf("%+v", a)
		}
	}
	if r.At(1).Next != nil {
		t.Error("the last request has a next one")
	}
}

// Indices and sizes that there are not are refused, and change nothing.
func TestRequestBounds(t *testing.T) {
	r, err := NewSendRequests(3, 1, 4)
	if err != nil {
		t.Fatal(err)
	}
	q, err := NewRecvRequests(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{-1, 3, math.MinInt, math.MaxInt} {
		if r.At(i) != nil || r.SGE(i, 0) != nil || r.SGE(0, i) != nil || q.At(i) != nil || q.SGE(i, 0) != nil || q.SGE(0, i) != nil {
			t.Errorf("there is an element %d", i)
		}
		for _, err := range []error{r.Set(i, SendWR{}), r.SetInline(i, nil), r.Signal(i, true), q.Set(i, RecvWR{})} {
			if !errors.Is(err, syscall.EINVAL) {
				t.Errorf("%d: %v", i, err)
			}
		}
	}
	two := make([]ibv.SGE, 2)
	for _, err := range []error{
		r.Set(0, SendWR{WRID: 9, SGList: two}), r.Set(0, SendWR{WRID: 9, Inline: make([]byte, 5)}), r.SetInline(0, make([]byte, 5)), q.Set(0, RecvWR{WRID: 9, SGList: two}),
		r.SetLen(-1), r.SetLen(4), q.SetLen(-1), q.SetLen(4),
	} {
		var e *Error
		if !errors.Is(err, syscall.EINVAL) || !errors.As(err, &e) || e.Hint == "" {
			t.Errorf("%v", err)
		}
	}
	if r.At(0).WRID != 0 || q.At(0).WRID != 0 || r.Len() != 3 || q.Len() != 3 {
		t.Error("what was refused has changed something")
	}
	for _, size := range [][3]int{{0, 0, 0}, {-1, 0, 0}, {1, -1, 0}, {1, 0, -1}, {math.MaxInt, 1, 1}, {1, math.MaxInt, 1}, {1, 1, math.MaxInt}, {1 << 39, 1 << 20, 0}} {
		if _, err := NewSendRequests(size[0], size[1], size[2]); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%v: %v", size, err)
		}
		if size[2] == 0 {
			if _, err := NewRecvRequests(size[0], size[1]); !errors.Is(err, syscall.EINVAL) {
				t.Errorf("%v: %v", size, err)
			}
		}
	}
	var none *SendRequests
	var noneR *RecvRequests
	if none.Len() != 0 || none.Cap() != 0 || none.At(0) != nil || none.SGE(0, 0) != nil || none.SetLen(0) != nil || none.Set(0, SendWR{}) == nil ||
		noneR.Len() != 0 || noneR.Cap() != 0 || noneR.At(0) != nil || noneR.SGE(0, 0) != nil || noneR.SetLen(0) != nil || noneR.Set(0, RecvWR{}) == nil {
		t.Error("a nil chain has something")
	}
}

// A chain has as many requests as its length says, and is as it was once it has its old one.
func TestChainLength(t *testing.T) {
	r, err := NewSendRequests(5, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	q, err := NewRecvRequests(5, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{5, 3, 1, 0, 2, 5, 4, 0, 5} {
		if r.SetLen(n) != nil || q.SetLen(n) != nil || r.Len() != n || q.Len() != n || r.Cap() != 5 || q.Cap() != 5 {
			t.Fatal(n)
		}
		a, b := 0, 0
		for w := r.At(0); w != nil; w = w.Next {
			a++
		}
		for w := q.At(0); w != nil; w = w.Next {
			b++
		}
		if n > 0 && (a != n || b != n) {
			t.Errorf("%d and %d requests, want %d", a, b, n)
		}
	}
}

// The signalled requests of a chain are known one by one.
func TestChainSignals(t *testing.T) {
	r, err := NewSendRequests(130, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]bool, 130)
	for _, i := range []int{0, 63, 64, 127, 128, 129, 63, 5} {
		want[i] = !want[i]
		if err := r.Signal(i, want[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Set(128, SendWR{}); err != nil {
		t.Fatal(err)
	}
	want[128] = false
	for n := range 131 {
		var s slots
		s.init(200, false)
		s.Posted = 7
		if n > 0 {
			s.note(r.signals, n)
		}
		var ends []uint64
		for i := range n {
			if want[i] {
				ends = append(ends, 7+uint64(i)+1)
			}
		}
		if s.Signalled != uint64(len(ends)) {
			t.Fatalf("%d: %d signalled, want %d", n, s.Signalled, len(ends))
		}
		for i := range ends {
			if s.ends[i] != ends[i] {
				t.Fatalf("%d: %v, want %v", n, s.ends[:len(ends)], ends)
			}
		}
	}
	for i := range want {
		if got := r.At(i).SendFlags&ibv.IBV_SEND_SIGNALED != 0; got != want[i] {
			t.Errorf("%d: %v", i, got)
		}
	}
}

// The memory goes when nothing refers to it any more.
func TestRequestMemoryGoes(t *testing.T) {
	gone := make(chan struct{})
	func() {
		r, err := NewSendRequests(1, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		runtime.AddCleanup(r, func(struct{}) { close(gone) }, struct{}{})
	}()
	for range 100 {
		runtime.GC()
		select {
		case <-gone:
			return
		default:
		}
	}
	t.Error("a chain stays")
}
