package ibv

import (
	"testing"
	"unsafe"
)

func TestVerbsContextOf(t *testing.T) {
	var v VerbsContext
	v.Context.ABICompat = ^uintptr(0)
	if got := VerbsContextOf(&v.Context); got != &v {
		t.Errorf("VerbsContextOf(&v.Context) = %p, want %p", got, &v)
	}
	v.Context.ABICompat = ^uintptr(0) - 1
	if got := VerbsContextOf(&v.Context); got != nil {
		t.Errorf("with another mark: %p, want nil", got)
	}
	if got := VerbsContextOf(nil); got != nil {
		t.Errorf("of nil: %p", got)
	}
}

// The struct grew at its front: 648 bytes up to release 58, 672 from 59, 680 from 62, 696 from 64 (8 more each on arm64).
func TestVerbsContextHas(t *testing.T) {
	var v VerbsContext
	size := unsafe.Sizeof(v)
	offsets := []struct {
		name   string
		offset uintptr
		since  int
	}{
		{"free_buf", unsafe.Offsetof(v.FreeBuf), 64},
		{"alloc_buf", unsafe.Offsetof(v.AllocBuf), 64},
		{"dm_export_dmabuf_fd", unsafe.Offsetof(v.DMExportDmabufFD), 62},
		{"reg_mr_ex", unsafe.Offsetof(v.RegMREx), 59},
		{"alloc_dmah", unsafe.Offsetof(v.AllocDmah), 59},
		{"query_port", unsafe.Offsetof(v.QueryPort), 33},
		{"create_wq", unsafe.Offsetof(v.CreateWQ), 33},
		{"context", unsafe.Offsetof(v.Context), 33},
	}
	for release, smaller := range map[int]uintptr{33: 48, 59: 24, 62: 16, 64: 0} {
		*(*uintptr)(unsafe.Pointer(&v.Sz)) = size - smaller
		for _, o := range offsets {
			if got, want := v.Has(o.offset), o.since <= release; got != want {
				t.Errorf("release %d: Has(%s) = %v, want %v", release, o.name, got, want)
			}
		}
	}
	for _, beyond := range []uintptr{size, size + 8, ^uintptr(0)} {
		if v.Has(beyond) {
			t.Errorf("Has(%d) of a struct of %d bytes", beyond, size)
		}
	}
	v.Sz = 0
	if v.Has(unsafe.Offsetof(v.Context)) {
		t.Error("Has(context) with sz 0")
	}
}
