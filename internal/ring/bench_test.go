//go:build linux && cgo

package ring

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/goverbs/ibv/internal/beside"
)

var sum uint64

// pinned makes a ring that C may have until the benchmark ends.
func pinned(b *testing.B, n int) (*Ring, unsafe.Pointer) {
	r := New(n)
	pinner := new(runtime.Pinner)
	pinner.Pin(unsafe.SliceData(r.memory))
	b.Cleanup(pinner.Unpin)
	return r, unsafe.Pointer(r.shared)
}

// To see that there is nothing.
func BenchmarkEmpty(b *testing.B) {
	for name, loop := range map[string]func(r *Ring, n int) bool{
		"Quiet": func(r *Ring, n int) bool {
			for range n {
				if !r.Quiet() {
					return false
				}
			}
			return true
		},
		"Next": func(r *Ring, n int) bool {
			for range n {
				if r.Next() != nil {
					return false
				}
			}
			return true
		},
	} {
		b.Run(name, func(b *testing.B) {
			r, raw := pinned(b, 1024)
			b.ReportAllocs()
			beside.Compare(b, beside.Looks(raw), func(n int) time.Duration {
				start := time.Now()
				if !loop(r, n) {
					b.Fatal("there is something")
				}
				return time.Since(start)
			}, beside.Empty)
		})
	}
}

// Completions that a thread in C puts in, batch at a time, and Go takes and reads, beside C that takes and reads them from another ring of the same
// thread's.
func BenchmarkHandOver(b *testing.B) {
	for _, batch := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			f, err := beside.NewFiller()
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			r, raw := pinned(b, 1024)
			_, other := pinned(b, 1024)
			b.ReportAllocs()
			beside.Compare(b, f.Empty(other, batch), func(n int) time.Duration {
				s := uint64(0) // in a register, as in C
				start := time.Now()
				f.Order(raw, n, batch)
				for n > 0 {
					wc := r.Next()
					for i := range wc {
						s += wc[i].WRID
					}
					n -= len(wc)
				}
				r.Release()
				took := time.Since(start)
				sum += s
				return took
			}, beside.Empty)
		})
	}
}

// From the completion to the consumer, which sleeps, beside a file of Go's on an eventfd, and C that sleeps in poll(2) on one. The ring's thread polls all the time.
func BenchmarkWakeUp(b *testing.B) {
	r := New(64)
	poll := beside.WakerPoll()
	p, err := Start(r, Config{Poll: poll, CPU: -1, Spin: time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Stop()
	toRing, err := beside.NewWaker(-1)
	if err != nil {
		b.Fatal(err)
	}
	if err := p.Add(1, toRing.CQ()); err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	file, toFile := bareFile(b)
	var buffer [8]byte
	fd := eventFD(b, 0)
	toC, err := beside.NewWaker(fd)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	beside.CompareWakes(b, func(took []time.Duration) {
		if !toC.Sleeps(fd, took) {
			b.Fatal("C could not sleep")
		}
	}, func(took []time.Duration) {
		for i := range took {
			for r.Next() == nil {
				p.Park(ctx)
			}
			took[i] = toRing.Woken()
		}
	}, func(took []time.Duration) {
		for i := range took {
			if _, err := file.Read(buffer[:]); err != nil {
				b.Fatal(err)
			}
			took[i] = toFile.Woken()
		}
	})
	p.Remove(1)
	for _, w := range []*beside.Waker{toRing, toFile, toC} {
		w.Close()
	}
}

func eventFD(b *testing.B, flags int) int {
	fd, _, errno := syscall.Syscall(syscall.SYS_EVENTFD2, 0, uintptr(flags|syscall.O_CLOEXEC), 0)
	if errno != 0 {
		b.Fatal(errno)
	}
	return int(fd)
}

// bareFile is a file of Go's on an eventfd, to which a thread writes.
func bareFile(b *testing.B) (*os.File, *beside.Waker) {
	fd := eventFD(b, syscall.O_NONBLOCK)
	w, err := beside.NewWaker(fd)
	if err != nil {
		b.Fatal(err)
	}
	return os.NewFile(uintptr(fd), "eventfd"), w
}
