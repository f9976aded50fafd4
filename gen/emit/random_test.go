package emit

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/load"
	"github.com/goverbs/ibv/gen/plan"
)

// TestRandom plans and emits random structs and unions: packed, aligned, nested, with bit-fields. What comes out must have
// the layout that was loaded, on every architecture.
func TestRandom(t *testing.T) {
	dir := t.TempDir()
	for seed := range uint64(8) {
		c := randomC{rnd: rand.New(rand.NewPCG(seed, 3))}
		if err := os.WriteFile(filepath.Join(dir, "random.h"), []byte(c.header(25)), 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := load.Load(load.Options{Header: "random.h", Include: []string{dir}})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		p, err := plan.Plan(m, nil, plan.Options{Package: "random"})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if err := Check(p, emitted(t, p)); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// A randomC writes random C declarations.
type randomC struct {
	rnd     *rand.Rand
	members int
}

func (c *randomC) header(n int) string {
	b := "#include <stdint.h>\nenum e { E1, E2 = 9 };\n"
	for i := range n {
		head, body := c.aggregate(0)
		b += fmt.Sprintf("%s s%d {\n%s};\n", head, i, body)
	}
	return b
}

// aggregate returns what stands before the tag, and the members.
func (c *randomC) aggregate(depth int) (head, body string) {
	head = c.one("struct", "struct", "union") + c.one("", "", " __attribute__((packed))", " __attribute__((aligned(16)))",
		" __attribute__((packed, aligned(4)))")
	for range 1 + c.rnd.IntN(6) {
		body += c.member(depth) + ";\n"
	}
	return head, body
}

func (c *randomC) member(depth int) string {
	c.members++
	name := fmt.Sprintf("m%d", c.members)
	ty := c.one("char", "short", "int", "long", "uint8_t", "uint64_t", "void *", "enum e", "float", "double", "_Bool", "__int128",
		"long double", "int *", "const char *")
	switch r := c.rnd.IntN(10); {
	case r < 2:
		return fmt.Sprintf("%s %s[%d]", ty, name, 1+c.rnd.IntN(4))
	case r < 3:
		ty, width, _ := strings.Cut(c.one("int 31", "unsigned 32", "uint8_t 7", "uint64_t 64", "short 9", "_Bool 1"), " ")
		return fmt.Sprintf("%s %s:%s", ty, name, width)
	case r < 5 && depth < 3:
		head, body := c.aggregate(depth + 1)
		return strings.TrimSpace(fmt.Sprintf("%s {\n%s} %s", head, body, c.one("", name, name+"[2]")))
	}
	return ty + " " + name
}

func (c *randomC) one(of ...string) string { return of[c.rnd.IntN(len(of))] }
