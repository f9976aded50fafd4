//go:build linux && cgo

package ring

// #cgo CFLAGS: -std=gnu11 -pthread -Wall -Wextra
// #include "poller.h"
// #include "ring.h"
// #include <stdlib.h>
import "C"

import (
	"context"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/goverbs/ibv"
)

// A Poller is a thread that polls completion queues into a ring, and the means to wake the ring's consumer. Its methods may be called by any goroutine
// at any time, but for Park and News, which are the consumer's.
type Poller struct {
	ring *Ring
	file *os.File // of an eventfd, to which the thread writes
	fd   C.int

	mu     sync.RWMutex           // held for reading while C uses the thread
	p      *C.struct_ibvgo_poller // nil after Stop
	last   Stats                  // what it had counted until then
	pinner runtime.Pinner         // of the ring's memory

	written [8]byte // what file is read into; the consumer's own

	limits sync.Mutex      // the following
	done   <-chan struct{} // of the context for which limit was set up
	limit  *limit
	ended  bool // none is set up any more: the thread has been stopped
}

// running has all whose threads run, those among them that nobody can stop any more: the thread writes to their memory and their descriptor.
var (
	runningMu sync.Mutex
	running   = make(map[*Poller]struct{})
)

// Start starts the thread. The ring's memory is pinned until Stop.
func Start(r *Ring, c Config) (*Poller, error) {
	fd, _, errno := syscall.Syscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if errno != 0 {
		return nil, errno
	}
	p := &Poller{ring: r, file: os.NewFile(fd, "ring"), fd: C.int(fd)}
	p.pinner.Pin(unsafe.SliceData(r.memory))
	raw, err := C.ibvgo_poller_start(&C.struct_ibvgo_poller_config{
		ops: C.struct_ibvgo_poller_ops{
			poll: (*[0]byte)(c.Poll), arm: (*[0]byte)(c.Arm), take: (*[0]byte)(c.Take), ack: (*[0]byte)(c.Ack),
		},
		ring: (*C.struct_ibvgo_ring)(unsafe.Pointer(r.shared)), channel: c.Channel, channel_fd: C.int(c.ChannelFD), wake_fd: p.fd,
		cpu: C.int(max(c.CPU, -1)), spin_ns: C.uint64_t(max(c.Spin, 0)),
	})
	if raw == nil {
		p.pinner.Unpin()
		p.file.Close()
		return nil, err
	}
	p.p = raw
	runningMu.Lock()
	running[p] = struct{}{}
	runningMu.Unlock()
	return p, nil
}

// Stop ends the thread and waits for it, after it has taken what its queues hold, as far as there is room, and wakes the consumer. What is in the
// ring stays there, and what removed queues have left besides is what Late returns. A second call does nothing.
func (p *Poller) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.p == nil {
		return
	}
	p.last = stats(p.p)
	var n C.uint64_t
	rest := C.ibvgo_poller_stop(p.p, &n)
	p.ring.late = slices.Clone(unsafe.Slice((*ibv.WC)(unsafe.Pointer(rest)), int(n)))
	C.free(unsafe.Pointer(rest))
	p.p = nil
	p.pinner.Unpin()
	runningMu.Lock()
	delete(running, p)
	runningMu.Unlock()
	p.ring.Tell()
	p.limits.Lock()
	p.unlimit()
	p.ended = true
	p.limits.Unlock()
	p.file.Close()
}

// Stopped reports whether Stop has been called, and has ended the thread.
func (p *Poller) Stopped() bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.p == nil
}

// with calls f with the thread, unless it has been stopped.
func (p *Poller) with(f func(*C.struct_ibvgo_poller)) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.p != nil {
		f(p.p)
	}
}

// Add has the thread poll a queue, which exists until it is removed. id is not 0, and no other's: events come with it.
func (p *Poller) Add(id uint64, cq unsafe.Pointer) (err error) {
	err = syscall.EINVAL
	p.with(func(c *C.struct_ibvgo_poller) {
		if err = nil; C.ibvgo_poller_add(c, C.uint64_t(id), cq) != 0 {
			err = syscall.ENOMEM
		}
	})
	return err
}

// Remove has the thread take what a queue holds, let it go, and acknowledge its events, and waits for that. What there is no room for comes later.
func (p *Poller) Remove(id uint64) {
	p.with(func(c *C.struct_ibvgo_poller) { C.ibvgo_poller_remove(c, C.uint64_t(id)) })
}

// Flush waits until what the queues hold now has been taken, as far as there is room.
func (p *Poller) Flush() {
	p.with(func(c *C.struct_ibvgo_poller) { C.ibvgo_poller_flush(c) })
}

// Overran tells that a queue has overrun. One that is not there is ignored.
func (p *Poller) Overran(id uint64) {
	p.with(func(c *C.struct_ibvgo_poller) { C.ibvgo_poller_overran(c, C.uint64_t(id)) })
}

// Wake has the consumer look for news, though there may be none.
func (p *Poller) Wake() {
	p.with(func(c *C.struct_ibvgo_poller) { C.ibvgo_poller_wake(c) })
}

// News returns one thing that there is to be told before the ring's next entry.
func (p *Poller) News() (n News) {
	p.with(func(c *C.struct_ibvgo_poller) {
		var news C.struct_ibvgo_news
		C.ibvgo_poller_news(c, C.uint64_t(p.ring.Taken()), &news)
		n = News{Kind(news.kind), uint64(news.id), int(news.value)}
	})
	return n
}

// Stats returns the thread's counters, also after Stop.
func (p *Poller) Stats() Stats {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.p == nil {
		return p.last
	}
	return stats(p.p)
}

func stats(c *C.struct_ibvgo_poller) Stats {
	var s C.struct_ibvgo_poller_stats
	C.ibvgo_poller_stats(c, &s)
	return Stats{uint64(s.stalls), uint64(s.full), uint64(s.sleeps), uint64(s.wakes)}
}

// Park waits, in Go's poller, until there is something in the ring or to be told, or ctx is done; perhaps without a reason.
func (p *Poller) Park(ctx context.Context) {
	p.limitBy(ctx)
	if p.ring.Doze() {
		// It fails for the reasons for which this is to return.
		_, _ = p.file.Read(p.written[:])
		p.ring.Awake()
	}
}

// A limit ends a read when a context is done.
type limit struct {
	file *os.File
	set  chan struct{} // closed once it has
	stop func() bool
}

// limitBy has reads end when ctx is done. Who waits again and again by the same context sets that up once. There is only one goroutine that reads, so that nobody else is
// woken by a deadline.
func (p *Poller) limitBy(ctx context.Context) {
	p.limits.Lock()
	defer p.limits.Unlock()
	if p.ended || p.done == ctx.Done() {
		return
	}
	p.unlimit()
	if p.done = ctx.Done(); p.done == nil {
		return
	}
	l := &limit{file: p.file, set: make(chan struct{})}
	l.stop = context.AfterFunc(ctx, l.expire)
	p.limit = l
}

func (l *limit) expire() {
	_ = l.file.SetReadDeadline(time.Unix(1, 0))
	close(l.set)
}

// unlimit forgets the context of the last Park, which may outlive the ring, and would keep what was set up. It needs limits.
func (p *Poller) unlimit() {
	if p.limit != nil && !p.limit.stop() {
		<-p.limit.set
		_ = p.file.SetReadDeadline(time.Time{})
	}
	p.done, p.limit = nil, nil
}
