package oracletest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A chunk is a piece of a random header that stands for itself: some types of which later ones use earlier ones.
type chunk struct {
	lines []string
	types int // structs, unions and enums with a name
}

// prelude is what all chunks may use.
var prelude = []string{
	"#include <stdint.h>",
	"#include <stddef.h>",
	"typedef uint32_t swapped32;",
	"typedef int (*callback)(void *);",
	"typedef uint16_t triple16[3];",
}

// A flavour says which constructs a header draws on.
type flavour struct {
	bits  bool // bit-fields
	risky bool // what the front end is known not to know: such chunks are expected to be refused
}

// A maker makes random chunks; the same seed gives the same ones.
type maker struct {
	*rand.Rand
	flavour
	prefix  string
	n       int
	out     []string
	types   int
	structs []string // spellings of complete types that may be members
	enums   []string
}

func newChunk(seed uint64, f flavour) chunk {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 0x5eed)), flavour: f, prefix: "x" + strconv.FormatUint(seed, 36) + "_"}
	for range 1 + m.IntN(3) {
		switch m.IntN(6) {
		case 0:
			m.enum("")
		case 1:
			m.macro()
			fallthrough
		default:
			m.aggregate()
		}
	}
	return chunk{m.out, m.types}
}

func (m *maker) name(kind string) string {
	m.n++
	return fmt.Sprintf("%s%s%d", m.prefix, kind, m.n)
}

// in reports true in one of n cases.
func (m *maker) in(n int) bool { return m.IntN(n) == 0 }

func pick[T any](m *maker, list ...T) T { return list[m.IntN(len(list))] }

func (m *maker) put(depth int, format string, args ...any) {
	m.out = append(m.out, strings.Repeat("\t", depth)+strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
}

// aggregate makes a struct or union at file scope, in one of the ways in which it can be written.
func (m *maker) aggregate() {
	word := pick(m, "struct", "struct", "struct", "union")
	if m.in(6) {
		m.put(0, "#pragma pack(push, %d)", 1<<m.IntN(5))
		defer m.put(0, "#pragma pack(pop)")
	}
	front, behind := "", ""
	if m.in(4) {
		front = m.structAttribute()
	}
	if (front == "" || m.risky && m.in(3)) && m.in(4) {
		behind = m.structAttribute()
	}
	tag := m.name("s")
	spelling := word + " " + tag
	flexible := false
	switch m.IntN(5) {
	case 0: // no tag
		tag = m.name("t")
		spelling = tag
		m.put(0, "typedef %s %s {", word, front)
		flexible = m.body(word == "union", 1)
		m.put(0, "} %s %s;", behind, tag)
	case 1: // a tag and a typedef
		also := m.name("t")
		m.put(0, "typedef %s %s %s {", word, front, tag)
		flexible = m.body(word == "union", 1)
		after := ""
		if m.risky && m.in(2) {
			after = fmt.Sprintf("__attribute__((aligned(%d)))", 1<<m.IntN(6))
		}
		m.put(0, "} %s %s %s;", behind, also, after)
		if m.in(2) {
			spelling = also
		}
	default:
		m.put(0, "%s %s %s {", word, front, tag)
		flexible = m.body(word == "union", 1)
		m.put(0, "} %s;", behind)
	}
	m.types++
	if !flexible {
		m.structs = append(m.structs, spelling)
	}
}

func (m *maker) structAttribute() string {
	n := 1 << m.IntN(7)
	list := []string{"packed", "packed", "__packed__", fmt.Sprintf("aligned(%d)", n), fmt.Sprintf("packed, aligned(%d)", n),
		fmt.Sprintf("__aligned__(%d), __packed__", n), fmt.Sprintf("packed)) __attribute__((aligned(%d)", n)}
	if m.risky && m.in(6) {
		list = []string{"aligned", "packed, aligned", "aligned(sizeof(long))"}
	}
	return "__attribute__((" + list[m.IntN(len(list))] + "))"
}

// render joins chunks to a header; starts has the line on which each begins, and the end.
func render(chunks []chunk) (text string, starts []int) {
	lines := slices.Clone(prelude)
	for _, c := range chunks {
		starts = append(starts, len(lines)+1)
		lines = append(lines, c.lines...)
	}
	return strings.Join(lines, "\n") + "\n", append(starts, len(lines)+1)
}
