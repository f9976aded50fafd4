package emit

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goverbs/ibv/gen/overlay"
	"github.com/goverbs/ibv/gen/plan"
)

// TestDeterminism plans and emits ten times, from models with shuffled lists.
func TestDeterminism(t *testing.T) {
	for _, name := range []string{"plain", "unions", "archs"} {
		m := find(t, name).load(t)
		var first map[string][]byte
		for i := range 10 {
			rnd := rand.New(rand.NewPCG(1, uint64(i)))
			shuffle(rnd, m.Aggregates)
			shuffle(rnd, m.Enums)
			shuffle(rnd, m.Consts)
			p, err := plan.Plan(m, &overlay.Overlay{}, plan.Options{Package: name})
			if err != nil {
				t.Fatal(err)
			}
			files := emitted(t, p)
			if first == nil {
				first = files
			}
			if !maps.EqualFunc(first, files, bytes.Equal) {
				t.Fatalf("%s: run %d differs from the first", name, i)
			}
		}
	}
}

func shuffle[T any](rnd *rand.Rand, s []T) {
	rnd.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
}

// TestOrderInUnion gives a union's members in another order: nothing but the order of methods may change.
func TestOrderInUnion(t *testing.T) {
	m := find(t, "unions").load(t)
	lines := func() []string {
		p, err := plan.Plan(m, nil, plan.Options{Package: "unions"})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, src := range emitted(t, p) {
			for l := range bytes.Lines(src) {
				all = append(all, string(l))
			}
		}
		return slices.Sorted(slices.Values(all))
	}
	before := lines()
	for i := range m.Aggregates {
		for j := range m.Aggregates[i].Members {
			if b := m.Aggregates[i].Members[j].Type.Body; b != nil && b.Union {
				slices.Reverse(b.Members)
			}
		}
	}
	if after := lines(); !slices.Equal(before, after) {
		t.Error("the order of a union's members shows in names")
	}
}
