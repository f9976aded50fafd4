package verbs

import (
	"runtime"
	"sync"
	"unsafe"
)

// A memory is what a memory region consists of: memory of Go, pinned, or a mapping outside of Go's heap.
type memory struct {
	bytes  []byte
	pinner *runtime.Pinner // of Go's memory; nil for a mapping
}

// pinned has all memories that hardware may use, those among them whose regions nobody can close any more: Go must not reuse them, and
// a Pinner must not be collected.
var (
	pinnedMu sync.Mutex
	pinned   = make(map[*memory]struct{})
)

// pinMemory pins b, which has to have bytes, until release. Memory that is not Go's is left alone.
func pinMemory(b []byte) *memory {
	m := &memory{bytes: b, pinner: new(runtime.Pinner)}
	m.pinner.Pin(unsafe.SliceData(b))
	pinnedMu.Lock()
	pinned[m] = struct{}{}
	pinnedMu.Unlock()
	return m
}

// newMapping maps size bytes.
func newMapping(size int) (*memory, error) {
	b, err := mapMemory(size)
	if err != nil {
		return nil, err
	}
	return &memory{bytes: b}, nil
}

// release ends it; the device must not use it any more. It is called once.
func (m *memory) release() {
	if m.pinner == nil {
		// It fails only for what is no mapping.
		_ = unmapMemory(m.bytes)
		return
	}
	m.pinner.Unpin()
	pinnedMu.Lock()
	delete(pinned, m)
	pinnedMu.Unlock()
}
