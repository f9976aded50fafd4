package emit

import (
	"math/bits"
	"slices"

	"github.com/goverbs/ibv/gen/plan"
)

// bySize sorts sets of bits by their number of bits, most first.
func bySize(sets []plan.Name) []plan.Name {
	slices.SortStableFunc(sets, func(a, b plan.Name) int {
		return bits.OnesCount64(b.Value.Uint64()) - bits.OnesCount64(a.Value.Uint64())
	})
	return sets
}
