package main

import (
	"cmp"
	"slices"
	"strings"
)

// nearest returns up to n of names that resemble name, best first, letter case aside: those it is part of, and those a few edits away.
func nearest(name string, names []string, n int) []string {
	type scored struct {
		name string
		cost int
	}
	var found []scored
	want := strings.ToLower(name)
	for _, s := range names {
		have := strings.ToLower(s)
		cost := distance(want, have)
		if len(want) > 2 && strings.Contains(have, want) {
			cost = min(cost, 2)
		}
		if cost <= 2+len(want)/2 {
			found = append(found, scored{s, cost})
		}
	}
	slices.SortFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	found = slices.CompactFunc(found, func(a, b scored) bool { return a.name == b.name })
	var r []string
	for _, f := range found[:min(n, len(found))] {
		r = append(r, f.name)
	}
	return r
}

// distance is what it costs to turn a into b: 2 for a letter added, dropped or replaced, 1 for two neighbours swapped.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = 2 * j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = 2 * (i + 1)
		for j := range len(b) {
			subst := last[j]
			if a[i] != b[j] {
				subst += 2
			}
			row[j+1] = min(subst, last[j+1]+2, row[j]+2)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
