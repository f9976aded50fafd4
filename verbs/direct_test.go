//go:build linux && cgo

package verbs

import (
	"testing"
)

// testDirectCQ makes a handle that is direct, and is closed when the test ends.
func testDirectCQ(t testing.TB, q *CQ, attr DirectAttr) *DirectCQ {
	t.Helper()
	d := closing(t, must(q.Direct(attr)))
	if d.Reason() != "" {
		t.Skip(d.Reason())
	}
	return d
}
