//go:build linux && cgo

package cverbs

import (
	"syscall"
	"testing"
)

// What is no success gives an errno value, and nothing but errno values come out.
func TestTaken(t *testing.T) {
	for _, c := range []struct {
		r    int
		err  error
		want syscall.Errno
	}{
		{0, nil, 0}, {0, syscall.EAGAIN, 0}, {-1, syscall.EAGAIN, syscall.EAGAIN}, {-1, nil, syscall.EIO},
		{int(syscall.EBUSY), nil, syscall.EBUSY}, {-int(syscall.EBUSY), nil, syscall.EBUSY}, {-5000, nil, syscall.EIO},
		{-1, syscall.Errno(noLibrary), syscall.ENOSYS}, {-1, syscall.Errno(noOperation), syscall.EOPNOTSUPP},
	} {
		if got := taken(c.r, c.err); got != c.want {
			t.Errorf("%d, %v: %d, want %d", c.r, c.err, got, c.want)
		}
	}
}
