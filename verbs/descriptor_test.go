//go:build linux && cgo

package verbs

import (
	"os"
	"runtime"
	"testing"

	"github.com/goverbs/ibv/internal/softdev"
)

// Neither descriptors nor goroutines are left behind.
func TestNothingIsLeftBehind(t *testing.T) {
	d, err := softdev.New(softdev.Config{})
	if err != nil {
		t.Fatal(err)
	}
	round := func() {
		c := must(AdoptDevice(d.Raw(), "test", nil).Open())
		channel := must(c.CreateCompChannel())
		q := must(c.CreateCQ(CQAttr{CQE: 1, Channel: channel}))
		for _, o := range []interface{ Close() error }{q, channel, c} {
			if err := o.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	descriptors := func() int { return len(must(os.ReadDir("/proc/self/fd"))) }
	round()
	fds, goroutines := descriptors(), runtime.NumGoroutine()
	for range 50 {
		round()
	}
	if n := descriptors(); n > fds {
		t.Errorf("%d descriptors, at first %d", n, fds)
	}
	eventually(t, "end of the goroutines", func() bool { return runtime.NumGoroutine() <= goroutines })
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// entriesOf is how many entries a directory has.
func entriesOf(dir string) int { return len(must(os.ReadDir(dir))) }
