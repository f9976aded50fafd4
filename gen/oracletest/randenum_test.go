package oracletest

import (
	"fmt"
	"math"
	"strings"
)

// enum makes an enum of one of several ranges; a range with negative values never has ones of 2^63, which C cannot hold.
func (m *maker) enum(attribute string) {
	if m.risky && m.in(3) {
		attribute = "__attribute__((packed))"
	}
	tag, after := m.name("e"), ""
	m.enums = append(m.enums, "enum "+tag)
	head := "enum " + tag
	switch {
	case m.in(4):
		head, after = "typedef enum", m.name("t")
		m.enums[len(m.enums)-1] = after
	case m.in(6):
		head = "enum"
		m.enums = m.enums[:len(m.enums)-1]
	}
	if m.risky && m.in(3) && attribute != "" && head != "enum" {
		head, attribute = strings.Replace(head, "enum", "enum "+attribute, 1), ""
	}
	m.put(0, "%s {", head)
	low := pick(m, int64(0), 0, 0, -1, -200, math.MinInt32, math.MinInt32-5, math.MinInt64)
	high := pick(m, uint64(20), 255, 70000, math.MaxInt32, math.MaxUint32, 1<<40, math.MaxInt64, math.MaxUint64)
	if low < 0 {
		high = min(high, math.MaxInt64)
	}
	var names []string
	counted := false // the value before leaves room for one more
	for range 1 + m.IntN(8) {
		name := strings.ToUpper(m.name("k"))
		switch {
		case (counted || len(names) == 0) && m.in(3):
			m.put(1, "%s,", name)
		case len(names) > 0 && m.in(6):
			m.put(1, "%s = %s,", name, names[m.IntN(len(names))])
			counted = false
		default:
			text, room := m.enumValue(low, high)
			counted = room
			m.put(1, "%s = %s,", name, text)
		}
		names = append(names, name)
	}
	m.put(0, "} %s %s;", attribute, after)
	m.types++
}

// enumValue spells a value from low to high, often at an end; room says that a few more may be counted on.
func (m *maker) enumValue(low int64, high uint64) (text string, room bool) {
	if low < 0 && m.in(2) {
		v := low + m.Int64N(min(-(low+1), 999)+1)
		if m.in(3) {
			v = low
		}
		if v == math.MinInt64 {
			return "-9223372036854775807LL - 1", true
		}
		return fmt.Sprintf("%d", v), true
	}
	v := high - m.Uint64N(min(high, 4)+1)
	if m.in(2) {
		v = m.Uint64N(min(high, 1000) + 1)
	}
	// gcc does not count on past the end of the type that a value has: int, unsigned int, long, unsigned long.
	room = true
	for _, end := range []uint64{math.MaxInt32, math.MaxUint32, math.MaxInt64, math.MaxUint64} {
		room = room && (v > end || end-v > 10)
	}
	switch {
	case v > math.MaxInt64:
		return pick(m, fmt.Sprintf("%#x", v), fmt.Sprintf("%dULL", v)), room
	case m.in(4):
		shift := m.IntN(31)
		if uint64(1)<<shift <= high {
			return fmt.Sprintf("1 << %d", shift), true
		}
	}
	return pick(m, fmt.Sprintf("%d", v), fmt.Sprintf("%#x", v)), room
}

// macro makes a macro with an integer value.
func (m *maker) macro() {
	m.put(0, "#define %s %s", strings.ToUpper(m.name("d")), m.expression(m.IntN(3)))
}

// expression makes an integer expression that does not overflow.
func (m *maker) expression(depth int) string {
	suffix := pick(m, "", "", "U", "L", "UL", "ULL", "LL")
	if depth == 0 {
		return pick(m, fmt.Sprintf("%d%s", m.IntN(1000), suffix), fmt.Sprintf("%#x%s", m.IntN(0x10000), suffix), "'a'",
			fmt.Sprintf("0x%xULL", m.Uint64()), fmt.Sprintf("0%o", m.IntN(512)), "UINT64_MAX", "INT32_MIN", fmt.Sprintf("(-%d)", m.IntN(1000)))
	}
	x, small := m.expression(depth-1), m.IntN(9)+1
	return pick(m,
		fmt.Sprintf("(~%s)", x),
		fmt.Sprintf("(!%s)", x),
		fmt.Sprintf("((%s) & %#x)", x, m.IntN(0x10000)),
		fmt.Sprintf("((%s) | %d%s)", x, small, suffix),
		fmt.Sprintf("((%s) >> %d)", x, small),
		fmt.Sprintf("(1%s << %d)", suffix, small*3),
		fmt.Sprintf("((%s)(%s))", pick(m, "uint8_t", "unsigned short", "int", "int64_t", "uint32_t", "unsigned long long", "signed char", "_Bool"), x),
		fmt.Sprintf("((%s) > %d)", x, small),
		fmt.Sprintf("((%s) ? %d : %dU)", x, small, m.IntN(100)),
		fmt.Sprintf("((%s) %% %d)", x, small),
		fmt.Sprintf("(%d + (unsigned char)(%s))", small, x),
		fmt.Sprintf("(sizeof(uint32_t) * %d)", small))
}
