package verbs

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// What is found by number is what a map has, in the one that was changed and in those before.
func TestByNumber(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var b *byNumber[int]
	want := map[uint32]int{}
	same := func(b *byNumber[int], want map[uint32]int) {
		t.Helper()
		sum, all := 0, 0
		for q := range b.all() {
			sum += q
			all++
		}
		for number, q := range want {
			if got := b.get(number); got != q {
				t.Fatalf("%#x: %d, want %d", number, got, q)
			}
			sum -= q
		}
		if sum != 0 || all != len(want) || b.len() != len(want) {
			t.Fatalf("%d, of which %d are found, want %d; the sum is off by %d", b.len(), all, len(want), sum)
		}
	}
	same(b, want)
	same(b.without(3), want)
	for i := range 3000 {
		before, had := b, maps.Clone(want)
		number := random.Uint32N(1<<24) &^ 0xc0c0 // as some devices' are
		if i%3 == 0 {
			number = random.Uint32N(300)
		}
		if random.IntN(3) == 0 {
			b = b.without(number)
			delete(want, number)
		} else {
			b = b.with(number, i+1)
			want[number] = i + 1
		}
		if i%50 == 0 {
			same(before, had)
			same(b, want)
		}
		if got := b.get(number); got != want[number] {
			t.Fatalf("%#x: %d, want %d", number, got, want[number])
		}
	}
	same(b, want)
	for range b.all() {
		break // which all has to notice
	}
}
