package verbs

import (
	"sync"

	"github.com/goverbs/ibv/internal/direct"
)

// A queueMutex keeps posts to a queue apart. Who has it keeps the queue's direct poster out as well, which takes no mutex.
type queueMutex struct {
	sync.Mutex
	gate *direct.Gate // the direct poster's; nil: there is none
}

// Lock waits for others, and for a direct post that is under way.
func (m *queueMutex) Lock() {
	m.Mutex.Lock()
	if m.gate != nil {
		direct.Shut(m.gate)
	}
}

// Unlock lets others in.
func (m *queueMutex) Unlock() {
	if m.gate != nil {
		m.gate.Open()
	}
	m.Mutex.Unlock()
}

// attach lets a direct poster in from Unlock on. It needs the mutex, and reports false if there is one already.
func (m *queueMutex) attach(gate *direct.Gate) bool {
	if m.gate != nil {
		return false
	}
	m.gate = gate
	return true
}

// end keeps the direct poster out for good. It needs the mutex.
func (m *queueMutex) end() { m.gate = nil }

// detach is end, unless the gate is another one's by now. It waits for a post that is under way.
func (m *queueMutex) detach(gate *direct.Gate) {
	m.Lock()
	if m.gate == gate {
		m.end()
	}
	m.Unlock()
}
