package oracle

import (
	"bytes"
	"debug/elf"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A Macro is an object-like macro whose value is an integer constant.
type Macro struct {
	Name   string
	Value  string // decimal
	Size   int64  // of its type
	Signed bool
	File   string
	Line   int64
}

// Macros returns the macros of a header, and of what it includes, that are defined in a file that keep accepts and that the
// compiler takes as integer constants. Pointers, floating-point numbers and what is no constant expression are left out.
func Macros(t testing.TB, cc, include []string, header string, keep func(file string) bool) []Macro {
	t.Helper()
	macros, err := ReadMacros(cc, include, header, keep)
	if err != nil {
		t.Fatal(err)
	}
	return macros
}

// ReadMacros is Macros without a test.
func ReadMacros(cc, include []string, header string, keep func(file string) bool) ([]Macro, error) {
	all, err := definitions(cc, include, header)
	if err != nil {
		return nil, err
	}
	var list []Macro
	for _, m := range all {
		if keep(m.File) {
			list = append(list, m)
		}
	}
	// Each round drops what the compiler refuses; one is the rule, more are needed when an error hides another.
	for range 20 {
		obj, text, err := object(cc, include, macroSource(header, list))
		if err == nil {
			return macroValues(obj, list)
		}
		rest := dropRefused(list, text)
		if len(rest) == len(list) {
			return nil, err
		}
		list = rest
	}
	return nil, fmt.Errorf("oracle: macros of %s: the compiler goes on refusing", header)
}

const macroSection = ".oracle_macros"

// macroSource has one line per macro, in the order of list: kind, value, size, sign.
func macroSource(header string, list []Macro) string {
	var b strings.Builder
	fmt.Fprintf(&b, `#include <%s>
#define ORACLE_INT(x) _Generic((x), _Bool: 1, char: 1, signed char: 1, unsigned char: 1, short: 1, unsigned short: 1, int: 1, unsigned: 1, long: 1, unsigned long: 1, long long: 1, unsigned long long: 1, default: 0)
#define ORACLE_VALUE(x) __builtin_choose_expr(ORACLE_INT(x), (x), 0)
#define ORACLE(n, x) const struct { unsigned long long kind, value, size, sign; } oracle_##n __attribute__((used, section("%s." #n))) = { ORACLE_INT(x), (unsigned long long)ORACLE_VALUE(x), sizeof(ORACLE_VALUE(x)), (__typeof__(ORACLE_VALUE(x)))-1 < (__typeof__(ORACLE_VALUE(x)))1 };
`, header, macroSection)
	for i, m := range list {
		fmt.Fprintf(&b, "#line %d \"oracle-macro\"\nORACLE(%d, %s)\n", i+1, i, m.Name)
	}
	return b.String()
}

var macroError = regexp.MustCompile(`(?m)^oracle-macro:(\d+):`)

func dropRefused(list []Macro, text string) []Macro {
	bad := map[int]bool{}
	for _, m := range macroError.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		bad[n-1] = true
	}
	var rest []Macro
	for i, m := range list {
		if !bad[i] {
			rest = append(rest, m)
		}
	}
	return rest
}

func macroValues(obj []byte, list []Macro) ([]Macro, error) {
	f, err := elf.NewFile(bytes.NewReader(obj))
	if err != nil {
		return nil, err
	}
	var r []Macro
	for i, m := range list {
		s := f.Section(fmt.Sprintf("%s.%d", macroSection, i))
		if s == nil {
			return nil, fmt.Errorf("oracle: macro %s is missing in the object file", m.Name)
		}
		data, err := s.Data()
		if err != nil || len(data) < 32 {
			return nil, fmt.Errorf("oracle: macro %s: %d bytes, %v", m.Name, len(data), err)
		}
		word := func(i int) uint64 { return f.ByteOrder.Uint64(data[8*i:]) }
		if word(0) == 0 {
			continue
		}
		m.Size, m.Signed = int64(word(2)), word(3) != 0
		m.Value = strconv.FormatUint(word(1), 10)
		if m.Signed {
			m.Value = strconv.FormatInt(int64(word(1)), 10)
		}
		r = append(r, m)
	}
	return r, nil
}
