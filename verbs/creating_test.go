//go:build linux && cgo

package verbs

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/goverbs/ibv/internal/softdev"
)

// limitMemory lets the process map so many bytes more, until the function that it returns is called.
func limitMemory(t *testing.T, more uint64) func() {
	t.Helper()
	var pages uint64
	if _, err := fmt.Sscan(string(must(os.ReadFile("/proc/self/statm"))), &pages); err != nil {
		t.Fatal(err)
	}
	var old syscall.Rlimit
	ok(t, syscall.Getrlimit(syscall.RLIMIT_AS, &old))
	ok(t, syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: pages*uint64(os.Getpagesize()) + more, Max: old.Max}))
	return func() { ok(t, syscall.Setrlimit(syscall.RLIMIT_AS, &old)) }
}

// A queue without memory for its requests is an error of its creation, and leaves nothing.
func TestCreatingWithoutMemoryForRequests(t *testing.T) {
	if instrumented {
		t.Skip("instruments have memory of their own")
	}
	const size = 1 << 30
	w := testWQs(t, softdev.Config{Exact: true, MaxInlineData: size, MaxSGE: size / 16})
	before := w.d.Objects()
	for verb, c := range map[string]struct {
		parts  uint64 // of this size, which the device takes itself
		object string
		create func() error
	}{
		"create_qp": {1, w.pd.String(), func() error {
			q, err := w.pd.CreateQP(QPAttr{SendCQ: w.cq, RecvCQ: w.cq, MaxSendWR: 1, MaxInlineData: size})
			_ = q.Close()
			return err
		}},
		"create_wq": {2, w.c.String(), func() error {
			q, err := w.c.CreateWQ(WQAttr{PD: w.pd, CQ: w.cq, MaxWR: 1, MaxSGE: size / 16})
			_ = q.Close()
			return err
		}},
	} {
		calls := calls(t, w.d, verb)
		heal := limitMemory(t, c.parts*size+size/2)
		err := c.create()
		heal()
		wantError(t, err, "ibv_"+verb, c.object, syscall.ENOMEM, "no memory for 1 requests")
		if n := w.d.Objects(); n != before {
			t.Errorf("%s: %v, before %v", verb, n, before)
		}
		if n := must(w.d.Calls(verb)); int(n) != calls+1 {
			t.Errorf("%s: %d calls", verb, n)
		}
	}
}
