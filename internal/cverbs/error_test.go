package cverbs

import (
	"errors"
	"math"
	"strings"
	"syscall"
	"testing"
)

func TestForms(t *testing.T) {
	const v = Verb(0)
	einval, emptyErr := syscall.EINVAL, error(nil)
	for _, c := range []struct {
		name     string
		err      error
		want     syscall.Errno
		returned int64
		ok       bool
	}{
		{"NULL and EINVAL", nullError(v, einval), einval, 0, false},
		{"NULL and errno 0", nullError(v, emptyErr), 0, 0, false},
		{"errno 0", errnoError(v, 0), 0, 0, true},
		{"positive errno", errnoError(v, int(einval)), einval, 0, false},
		{"negative errno", errnoError(v, -int(einval)), einval, 0, false},
		{"errno -1", errnoError(v, -1), syscall.EPERM, 0, false},
		{"no errno", errnoError(v, 4096), 0, 4096, false},
		{"smallest int", errnoError(v, math.MinInt32), 0, math.MinInt32, false},
		{"smallest int of 64 bits", errnoError(v, math.MinInt64), 0, math.MinInt64, false},
		{"0 and errno", minus1Error(v, 0, einval), 0, 0, true},
		{"-1 and EINVAL", minus1Error(v, -1, einval), einval, 0, false},
		{"-1 and errno 0", minus1Error(v, -1, nil), 0, 0, false},
		{"positive errno for -1", minus1Error(v, int(einval), nil), einval, 0, false},
		{"negative errno for -1", minus1Error(v, -int(einval), nil), einval, 0, false},
		{"errno and another value", minus1Error(v, 7, einval), einval, 0, false},
		{"-5000 for -1", minus1Error(v, -5000, nil), 0, -5000, false},
		{"smallest int for -1", minus1Error(v, math.MinInt32, nil), 0, math.MinInt32, false},
		{"count", negativeError(v, 3), 0, 0, true},
		{"no count", negativeError(v, 0), 0, 0, true},
		{"negative count that is an errno", negativeError(v, -int(einval)), einval, 0, false},
		{"count -1", negativeError(v, -1), 0, -1, false},
		{"count -5000", negativeError(v, -5000), 0, -5000, false},
	} {
		if c.ok {
			if c.err != nil {
				t.Errorf("%s: %v, want none", c.name, c.err)
			}
			continue
		}
		var e *Error
		if !errors.As(c.err, &e) {
			t.Errorf("%s: %v, want an *Error", c.name, c.err)
			continue
		}
		if e.Verb != verbTable[v].name || e.Errno != c.want || e.Returned != c.returned || e.Symbol != "" {
			t.Errorf("%s: %+v, want errno %d, returned %d", c.name, *e, c.want, c.returned)
		}
		if c.want != 0 != errors.Is(e, einval) && c.want != syscall.EPERM {
			t.Errorf("%s: errors.Is(%v, EINVAL) is %v", c.name, e, errors.Is(e, einval))
		}
		if !strings.HasPrefix(e.Error(), e.Verb+": ") || len(e.Error()) < len(e.Verb)+10 {
			t.Errorf("%s: message %q", c.name, e)
		}
		if errors.Is(e, ErrNotSupported) || errors.Is(e, ErrNoLibrary) {
			t.Errorf("%s: %v is of the wrong kind", c.name, e)
		}
	}
}

func TestNotSupported(t *testing.T) {
	for _, err := range []error{errnoError(0, int(syscall.EOPNOTSUPP)), errnoError(0, -int(syscall.EOPNOTSUPP)), nullError(0, syscall.EOPNOTSUPP),
		&Error{Verb: "x", Errno: syscall.ENOSYS}, ErrNotSupported, &LibraryError{Path: "x", Reason: NoPlatform}} {
		if !errors.Is(err, ErrNotSupported) || !errors.Is(err, errors.ErrUnsupported) || errors.Is(err, ErrNoLibrary) {
			t.Errorf("%v: not ErrNotSupported, or ErrNoLibrary", err)
		}
	}
	if err := errnoError(0, int(syscall.EINVAL)); errors.Is(err, ErrNotSupported) || errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v is ErrNotSupported", err)
	}
}

// Every reason has words, and exactly one of the errors that callers ask for.
func TestReasons(t *testing.T) {
	seen := map[string]bool{}
	for r := Missing; r <= NoPlatform; r++ {
		err := error(&LibraryError{Path: "/x", Reason: r, Detail: "more"})
		kinds := 0
		for _, target := range []error{ErrNoLibrary, ErrOtherLibrary, ErrNotSupported} {
			if errors.Is(err, target) {
				kinds++
			}
		}
		if s := err.Error(); kinds != 1 || seen[s] || !strings.HasPrefix(s, `"/x": `) || !strings.Contains(s, "(more)") {
			t.Errorf("%v: %d kinds", err, kinds)
		}
		seen[err.Error()] = true
	}
	for _, r := range []Reason{0, -1, NoPlatform + 1} {
		if s := (&LibraryError{Path: "x", Reason: r}).Error(); !strings.Contains(s, "Reason(") {
			t.Error(s)
		}
	}
}

func TestVerbNames(t *testing.T) {
	for _, v := range []Verb{-1, -5, Verb(NumVerbs), 99999, math.MaxInt} {
		if !strings.HasPrefix(v.String(), "Verb(") || Has(v) {
			t.Errorf("%d: %s", int(v), v)
		}
		if err := errnoError(v, 22); !strings.HasPrefix(err.Error(), v.String()) {
			t.Error(err)
		}
	}
	for i := range verbTable {
		if i > 0 && verbTable[i-1].name >= verbTable[i].name {
			t.Errorf("%s is not in its place", Verb(i))
		}
	}
}

func TestPlainErrno(t *testing.T) {
	for r, want := range map[int]syscall.Errno{noLibrary: syscall.ENOSYS, -noSymbol: syscall.ENOSYS, noOperation: syscall.EOPNOTSUPP, noOperation + 1: syscall.EIO, 0: 0, 22: 22, -22: 22, -1: 1, 4095: 4095, 4096: syscall.EIO, -5000: syscall.EIO,
		math.MinInt32: syscall.EIO, math.MaxInt: syscall.EIO, math.MinInt: syscall.EIO} {
		if got := plainErrno(r); got != want {
			t.Errorf("%d: %d, want %d", r, got, want)
		}
	}
	if err := Verb(0).Failed(0); err != nil {
		t.Errorf("0 is an error: %v", err)
	}
	if err := Verb(0).Failed(22); !errors.Is(err, syscall.Errno(22)) || !strings.HasPrefix(err.Error(), verbTable[0].name+": ") {
		t.Errorf("22: %v", err)
	}
	if n := testing.AllocsPerRun(100, func() { plainErrno(-22) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
