package oracletest

import (
	"fmt"
	"slices"
	"strings"
)

// body writes the members between the braces; it reports whether a flexible array is the last.
func (m *maker) body(union bool, depth int) bool {
	n := 1 + m.IntN(6)
	for range n {
		m.member(depth)
	}
	if union || depth > 1 || !m.in(8) {
		return false
	}
	// The array needs a named member before it.
	m.put(depth, "int %s;", m.name("m"))
	m.put(depth, "%s %s[%s];", pick(m, "char", "uint16_t", "int", "uint64_t", "void *"), m.name("m"), pick(m, "", "0"))
	return true
}

func (m *maker) member(depth int) {
	name := m.name("m")
	switch k := m.IntN(20); {
	case k < 2 && depth < 4:
		m.nested(name, depth)
	case k < 4 && len(m.structs) > 0:
		m.plain(depth, m.structs[m.IntN(len(m.structs))], name+m.dimensions())
	case k < 5 && len(m.enums) > 0:
		m.plain(depth, m.enums[m.IntN(len(m.enums))], name+m.dimensions())
	case k < 7:
		m.plain(depth, m.scalar(), "*"+name+m.dimensions())
	case k < 8:
		m.plain(depth, pick(m, "callback", "triple16", "swapped32", "const char *const", "volatile int"), name)
	case k < 9:
		m.put(depth, "%s (*%s)(%s, void *);", pick(m, "int", "void", "void *"), name, m.scalar())
	case k < 10:
		m.put(depth, "%s *%s;", pick(m, "struct "+m.prefix+"hidden_s", "union "+m.prefix+"hidden_u"), name)
	case k < 15 && m.bits:
		m.bitField(name, depth)
	default:
		m.plain(depth, m.scalar(), name+m.dimensions())
	}
}

// plain writes a member that may have an attribute, in one of three places.
func (m *maker) plain(depth int, ctype, declarator string) {
	attribute := ""
	if strings.HasPrefix(ctype, "__attribute__") {
		declarator, _, _ = strings.Cut(declarator, "[")
	}
	if m.in(8) {
		n := 1 << m.IntN(7)
		list := []string{fmt.Sprintf("aligned(%d)", n), "packed", fmt.Sprintf("packed, aligned(%d)", n), fmt.Sprintf("__aligned__(%d)", n)}
		if m.risky && m.in(8) {
			list = []string{"aligned", "packed, aligned"}
		}
		attribute = "__attribute__((" + list[m.IntN(len(list))] + "))"
	}
	switch {
	case attribute != "" && m.in(10) && !slices.Contains(m.structs, ctype): // it may not reduce an alignment
		m.put(depth, "_Alignas(%d) %s %s;", pick(m, 16, 32, 64), ctype, declarator)
	case attribute != "" && m.risky && m.in(6):
		m.put(depth, "%s %s %s;", attribute, ctype, declarator)
	case attribute != "" && m.risky && m.in(6):
		m.put(depth, "%s %s %s;", ctype, attribute, declarator)
	default:
		m.put(depth, "%s %s %s;", ctype, declarator, attribute)
	}
}

func (m *maker) dimensions() string {
	switch m.IntN(10) {
	case 0, 1:
		return fmt.Sprintf("[%d]", 1+m.IntN(9))
	case 2:
		return fmt.Sprintf("[%d][%d]", 1+m.IntN(3), 1+m.IntN(4))
	case 3:
		if m.in(3) {
			return "[0]"
		}
	}
	return ""
}

// nested writes a struct or union inside: without a name, with a member name, or with a tag as well.
func (m *maker) nested(name string, depth int) {
	word := pick(m, "struct", "union")
	front, behind := "", ""
	if m.in(5) {
		front = m.structAttribute()
	}
	if (front == "" || m.risky && m.in(3)) && m.in(6) {
		behind = m.structAttribute()
	}
	tag, declarator := "", name+m.dimensions()
	switch m.IntN(4) {
	case 0, 1:
		declarator = ""
	case 2:
		tag = m.name("n")
		m.types++
	}
	if declarator != "" && m.in(8) {
		declarator = "*" + declarator
	}
	m.put(depth, "%s %s %s {", word, front, tag)
	m.body(word == "union", depth+1)
	m.put(depth, "} %s %s;", behind, declarator)
}

func (m *maker) bitField(name string, depth int) {
	types := []struct {
		ctype string
		width int
	}{{"unsigned", 32}, {"int", 32}, {"uint8_t", 8}, {"uint16_t", 16}, {"uint32_t", 32}, {"uint64_t", 64}, {"signed char", 8}, {"short", 16},
		{"unsigned long long", 64}, {"_Bool", 1}, {"long", 64}}
	t := types[m.IntN(len(types))]
	width := 1 + m.IntN(t.width)
	if m.in(2) {
		width = 1 + m.IntN(min(t.width, 8))
	}
	attribute := ""
	if m.in(12) {
		attribute = "__attribute__((packed))"
	} else if m.risky && m.in(20) {
		attribute = fmt.Sprintf("__attribute__((aligned(%d)))", 1<<m.IntN(5))
	}
	switch m.IntN(8) {
	case 0:
		m.put(depth, "%s : %d;", t.ctype, width)
	case 1:
		m.put(depth, "%s : 0;", t.ctype)
	}
	m.put(depth, "%s %s : %d %s;", t.ctype, name, width, attribute)
}

func (m *maker) scalar() string {
	list := []string{"char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long",
		"long long", "unsigned long long", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t", "int16_t", "int32_t", "int64_t",
		"size_t", "uintptr_t", "float", "double", "_Bool", "long int unsigned", "swapped32", "const uint16_t"}
	if m.in(10) {
		list = []string{"long double", "__int128", "unsigned __int128", "void *", "float _Complex", "double _Complex"}
	}
	if m.risky && m.in(60) {
		list = []string{"_Float16", "__attribute__((vector_size(16))) int", "__attribute__((mode(DI))) int"}
	}
	return list[m.IntN(len(list))]
}
