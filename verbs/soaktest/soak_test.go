//go:build linux && cgo

package soaktest

import (
	"errors"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/goverbs/ibv/internal/beside"
	"github.com/goverbs/ibv/verbs"
	"github.com/goverbs/ibv/verbs/verbstest"
)

// How long it lasts if nothing is said, and what a soak of full length has to reach.
const (
	short    = 2 * time.Second
	full     = 10 * time.Minute
	fullMade = 1_000_000_000 // completions that are made up, by each tier
	fullSent = 10_000_000    // completions of QPs
	fullShut = 2_000         // queues closed beside who polls them
)

// Parts of the time in percent: each tier has the same of each.
const (
	partMade = 50
	partSent = 35
	partShut = 15
)

// A plan is what IBV_SOAK and IBV_SEED say.
type plan struct {
	lasts time.Duration
	seed  uint64
}

func planned(t *testing.T) plan {
	p := plan{short, uint64(time.Now().UnixNano())}
	var err error
	if s := os.Getenv("IBV_SOAK"); s != "" {
		if p.lasts, err = time.ParseDuration(s); err != nil || p.lasts <= 0 {
			t.Fatalf("IBV_SOAK=%s is no time such as 10m", s)
		}
	}
	if s := os.Getenv("IBV_SEED"); s != "" && s != "0" {
		if p.seed, err = strconv.ParseUint(s, 0, 64); err != nil {
			t.Fatalf("IBV_SEED=%s is no number", s)
		}
	}
	return p
}

// patience is for machines that have other things to do: who polls without pause may keep who posts waiting for seconds there.
const patience = 30 * time.Second

// A goal is how long one part lasts, and how much it has to reach. One that has not when its time is over goes on for thrice that, and patience, at most.
type goal struct {
	least int
	lasts time.Duration
	start time.Time
}

func (p plan) goal(percent, ways, least int) *goal {
	if p.lasts < full {
		least = 1
	}
	return &goal{least, p.lasts * time.Duration(percent) / time.Duration(100*ways), time.Now()}
}

// over reports whether that is it, after so many.
func (g *goal) over(n uint64) bool {
	took := time.Since(g.start)
	return took >= g.lasts && (n >= uint64(g.least) || took >= 4*g.lasts+patience)
}

// reached says how many there were, and wants enough.
func (g *goal) reached(t *testing.T, n uint64, what string) {
	took := time.Since(g.start)
	t.Logf("%d %s in %v", n, what, took.Round(time.Millisecond))
	if n < uint64(g.least) {
		t.Errorf("that is less than %d", g.least)
	}
}

func TestSoak(t *testing.T) {
	p := planned(t)
	t.Logf("%v, IBV_SEED=%d", p.lasts, p.seed)
	end := makeTrouble(t, p.seed)
	defer end()
	made := 0
	for _, way := range tiers {
		if way.made != nil {
			made++
		}
	}
	for _, way := range tiers {
		if way.made != nil {
			t.Run("made up/"+way.name, func(t *testing.T) { soakMade(t, way, p.goal(partMade, made, fullMade), p.seed) })
		}
		t.Run("QPs/"+way.name, func(t *testing.T) { soakQPs(t, way, p.goal(partSent, len(tiers), fullSent), p.seed) })
		t.Run("closing/"+way.name, func(t *testing.T) { soakClosing(t, way, p.goal(partShut, len(tiers), fullShut), p.seed) })
	}
}

// device is one of the software's, that is closed with the test.
func device(t *testing.T) *verbs.Context {
	t.Helper()
	c, err := verbstest.New(t, verbstest.Config{}).Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// soakMade polls a queue that has always more.
func soakMade(t *testing.T, way tier, g *goal, seed uint64) {
	c := device(t)
	beside.Number(c.Raw(), seed)
	w, err := way.made(c, 4*room)
	if err != nil {
		t.Fatal(err)
	}
	if w.ex != nil {
		beside.NumberEx(w.ex.Raw(), seed)
	}
	s, r := &sequence{}, newRandom(seed)
	if err := w.run(s, r, func() bool { return g.over(s.seen()) }); err != nil {
		t.Error(err)
	}
	// What is on its way in a ring comes still.
	beside.EndNumbers()
	if err := w.close(); err != nil {
		t.Error(err)
	}
	if err := w.rest(s); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("%v, want ErrClosed", err)
	}
	if n := beside.Numbers(); n != s.seen() || s.err != nil {
		t.Errorf("%d completions were made, and %d seen; %v", n, s.seen(), s.err)
	}
	w.notes(t)
	g.reached(t, s.seen(), "completions")
}

// rest polls until there is an error.
func (w *way) rest(s *sequence) error {
	for {
		if _, err := w.poll(w, s, most); err != nil {
			return err
		}
	}
}
