package ring

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"github.com/goverbs/ibv"
)

// The memory is laid out as ring.h has it, by what the C compiler says.
func TestLayout(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ring.h is for Linux")
	}
	program := filepath.Join(t.TempDir(), "layout")
	if out, err := exec.Command("gcc", "-std=gnu11", "-o", program, "testdata/layout.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	var s shared
	want := fmt.Sprintf("line %d\nsize %d\nentry %d\ntail %d\nnews %d\nseen %d\nhead %d\nmask %d\nsleeping %d\n", line, unsafe.Sizeof(s), unsafe.Sizeof(ibv.WC{}),
		unsafe.Offsetof(s.tail), unsafe.Offsetof(s.news), unsafe.Offsetof(s.seen), unsafe.Offsetof(s.head), unsafe.Offsetof(s.mask), unsafe.Offsetof(s.sleeping))
	if string(out) != want {
		t.Errorf("in C\n%s\nin Go\n%s", out, want)
	}
	r := New(5)
	at := uintptr(unsafe.Pointer(r.shared))
	end := uintptr(unsafe.Pointer(unsafe.SliceData(r.memory))) + uintptr(len(r.memory))
	if at%line != 0 || r.Len() != 8 || uintptr(unsafe.Pointer(&r.entries[0])) != at+unsafe.Sizeof(s) || uintptr(unsafe.Pointer(&r.entries[7]))+48 > end {
		t.Errorf("a ring of %d at %#x, entries at %p, memory up to %#x", r.Len(), at, &r.entries[0], end)
	}
}
