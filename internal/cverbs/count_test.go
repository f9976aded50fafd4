package cverbs

import "testing"

// There are counters for all verbs, or for none.
func TestCounts(t *testing.T) {
	if n := Counts(); n != nil && (len(n) != len(verbTable) || len(n) > 1024) {
		t.Errorf("%d counters for %d verbs", len(n), len(verbTable))
	}
}
