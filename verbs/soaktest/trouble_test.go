//go:build linux && cgo

package soaktest

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A trouble is something that the runtime does beside a program, once.
type trouble struct {
	name  string
	make  func(r *random) error
	pause time.Duration // at most, from one to the next
}

var troubles = []trouble{
	{"collections", collect, 4 * time.Millisecond},
	{"stacks grown and shrunk", growStacks, 2 * time.Millisecond},
	{"CPU profiles", profile, 20 * time.Millisecond},
	{"rounds of signals", signals, time.Millisecond},
	{"changes of GOMAXPROCS", changeProcs, 10 * time.Millisecond},
	{"dumps of all stacks", dumpStacks, 50 * time.Millisecond},
}

// garbage is what was collected last.
var garbage atomic.Pointer[[]*[64]byte]

func collect(r *random) error {
	all := make([]*[64]byte, 1+r.below(4096))
	for i := range all {
		all[i] = new([64]byte)
	}
	garbage.Store(&all)
	runtime.GC()
	return nil
}

// growStacks has goroutines whose stacks grow, and shrink again while they wait, if there is a collection meanwhile.
func growStacks(r *random) error {
	var all sync.WaitGroup
	for range 4 {
		levels, wait := r.below(256), time.Duration(r.below(int(4*time.Millisecond)))
		all.Go(func() {
			descend(levels)
			time.Sleep(wait)
			descend(levels / 2)
		})
	}
	all.Wait()
	return nil
}

//go:noinline
func descend(levels int) byte {
	var part [2048]byte
	part[levels] = 1
	if levels > 0 {
		part[0] = descend(levels - 1)
	}
	return part[0] + part[levels]
}

func profile(r *random) error {
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		return nil // go test -cpuprofile takes one already
	}
	r.sleep(60 * time.Millisecond)
	pprof.StopCPUProfile()
	return nil
}

// signals sends every thread of the process two signals: one that the runtime has its own use for, and one for the program.
func signals(*random) error {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, task := range tasks {
		id, err := strconv.Atoi(task.Name())
		if err != nil {
			return err
		}
		for _, s := range []syscall.Signal{syscall.SIGURG, syscall.SIGUSR1} {
			// A thread may have ended since.
			if _, _, errno := syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(os.Getpid()), uintptr(id), uintptr(s)); errno != 0 && errno != syscall.ESRCH {
				return errno
			}
		}
	}
	return nil
}

func changeProcs(r *random) error {
	runtime.GOMAXPROCS(1 + r.below(4))
	return nil
}

func dumpStacks(*random) error { return pprof.Lookup("goroutine").WriteTo(io.Discard, 2) }

// makeTrouble makes all troubles, again and again, until the function that it returns is called. That wants each to have happened.
func makeTrouble(t *testing.T, seed uint64) (end func()) {
	procs := runtime.GOMAXPROCS(0)
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGUSR1)
	var (
		stop   atomic.Bool
		all    sync.WaitGroup
		counts = make([]int, len(troubles))
	)
	for i, trouble := range troubles {
		all.Go(func() {
			for r := newRandom(seed + uint64(i)); !stop.Load(); counts[i]++ {
				if err := trouble.make(r); err != nil {
					t.Errorf("%s: %v", trouble.name, err)
					return
				}
				r.sleep(trouble.pause)
			}
		})
	}
	return func() {
		stop.Store(true)
		all.Wait()
		signal.Stop(caught)
		runtime.GOMAXPROCS(procs)
		var text []string
		for i, n := range counts {
			if text = append(text, fmt.Sprintf("%d %s", n, troubles[i].name)); n == 0 {
				t.Errorf("no %s", troubles[i].name)
			}
		}
		if len(caught) == 0 {
			t.Error("no signal has arrived")
		}
		t.Log(strings.Join(text, ", "))
	}
}
