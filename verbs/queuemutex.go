package verbs

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goverbs/ibv/internal/direct"
	"github.com/goverbs/ibv/internal/release"
)

// A queueMutex keeps posts to a queue apart. There are two ways to have it: to lock it; or to be in without, as the queue's direct poster by its gate, or as the
// poster of one chain by the bias. Whoever locks it keeps these out as well.
//
// It is held for as long as a post takes, and mostly by the only one who wants it. So it takes one locked instruction, where a [sync.Mutex]
// takes two, and unlocking wakes nobody: of those who have to wait one looks at the word again and again, and the others wait for that one. If
// that takes long everybody else who comes waits as well, also who has just had it.
type queueMutex struct {
	held    atomic.Uint32
	wanted  atomic.Uint32 // the one who looks has waited long
	waiting sync.Mutex    // of the one who looks
	gate    *direct.Gate  // the direct poster's; nil: there is none
	bias    bias          // towards one chain; none while there is a gate
}

// Lock waits for others, and for a post that has come in without locking.
func (m *queueMutex) Lock() {
	m.take()
	m.shut()
}

// Unlock lets others in.
func (m *queueMutex) Unlock() {
	if m.gate != nil {
		m.gate.Open()
	}
	m.give()
}

// take waits for others who lock.
func (m *queueMutex) take() {
	if !m.try() {
		m.wait()
	}
}

// try is take that does not wait. It reports whether it has the mutex.
func (m *queueMutex) try() bool { return m.wanted.Load() == 0 && m.held.CompareAndSwap(0, 1) }

// shut keeps out those who come without locking, and waits for one who is in. It is for whoever has taken the mutex.
func (m *queueMutex) shut() {
	if m.bias.term.Load() != nil {
		m.bias.end()
	}
	if m.gate != nil {
		direct.Shut(m.gate)
	}
}

// unlockAfter is Unlock after a post of a chain.
func (m *queueMutex) unlockAfter(chain uintptr) {
	if m.gate == nil {
		m.bias.learn(chain)
	}
	m.Unlock()
}

// give is for whoever has it.
func (m *queueMutex) give() { release.Store32(&m.held, 0) }

// patience is how often the one who looks lets others go first.
const patience = 100

// wait is take for those who have to wait. Who has it is done in a moment, unless its thread has lost its processor, or it closes or changes the queue.
func (m *queueMutex) wait() {
	m.waiting.Lock()
	defer m.waiting.Unlock()
	pause := time.Microsecond
	for i := 0; !m.held.CompareAndSwap(0, 1); i++ {
		if i == patience {
			m.wanted.Store(1)
		}
		if i < 10*patience {
			runtime.Gosched()
			continue
		}
		time.Sleep(pause)
		pause = min(2*pause, time.Millisecond)
	}
	m.wanted.Store(0)
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
