package load

import (
	"strconv"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// A cnum is an integer of C: its type's canonical name and its value in 64 bits, extended as its sign demands.
type cnum struct {
	typ  string
	bits uint64
}

func (n cnum) info() model.ScalarInfo { return model.Scalars[n.typ] }

// signed is false for char, which the evaluator leaves to the front end where its sign matters.
func (n cnum) signed() bool { return n.info().Signed }

func (n cnum) value() model.Value {
	if n.signed() {
		return model.Int(int64(n.bits))
	}
	return model.Uint(n.bits)
}

// to converts n to a type.
func (n cnum) to(typ string) cnum {
	info := model.Scalars[typ]
	shift := 64 - 8*uint(info.Size)
	switch {
	case info.Bool:
		if n.bits != 0 {
			return cnum{typ, 1}
		}
		return cnum{typ, 0}
	case info.Signed:
		return cnum{typ, uint64(int64(n.bits<<shift) >> shift)}
	}
	return cnum{typ, n.bits << shift >> shift}
}

// promote is C's integer promotion.
func (n cnum) promote() cnum {
	if n.info().Size < 4 {
		return n.to("int")
	}
	return n
}

// ranks orders the types that arithmetic happens in.
var ranks = map[string]int{
	"int": 1, "unsigned int": 2, "long": 3, "unsigned long": 4, "long long": 5, "unsigned long long": 6,
}

// common converts two operands to their common type. The order of ranks gives it, but for a signed type of 8 bytes that is
// longer in rank only than an unsigned one of 8 bytes.
func common(a, b cnum) (cnum, cnum) {
	a, b = a.promote(), b.promote()
	t, o := a.typ, b.typ
	if ranks[t] < ranks[o] {
		t, o = o, t
	}
	if t == "long long" && o == "unsigned long" {
		t = "unsigned long long"
	}
	return a.to(t), b.to(t)
}

// truth makes the int that comparisons give.
func truth(b bool) cnum {
	if b {
		return cnum{"int", 1}
	}
	return cnum{"int", 0}
}

// literal reads an integer constant.
func literal(s string) (cnum, bool) {
	body := strings.TrimRight(s, "uUlL")
	suffix := strings.ToLower(s[len(body):])
	base, digits := 10, body
	switch {
	case strings.HasPrefix(body, "0x") || strings.HasPrefix(body, "0X"):
		base, digits = 16, body[2:]
	case strings.HasPrefix(body, "0b") || strings.HasPrefix(body, "0B"):
		base, digits = 2, body[2:]
	case len(body) > 1 && body[0] == '0':
		base = 8
	}
	v, err := strconv.ParseUint(digits, base, 64)
	if err != nil || strings.ContainsAny(digits, "_+-") {
		return cnum{}, false
	}
	var types []string
	switch suffix {
	case "":
		types = []string{"int", "unsigned int", "long", "unsigned long"}
		if base == 10 {
			types = []string{"int", "long"}
		}
	case "u":
		types = []string{"unsigned int", "unsigned long"}
	case "l":
		types = []string{"long", "unsigned long"}
		if base == 10 {
			types = types[:1]
		}
	case "ul", "lu":
		types = []string{"unsigned long"}
	case "ll":
		types = []string{"long long", "unsigned long long"}
		if base == 10 {
			types = types[:1]
		}
	case "ull", "llu":
		types = []string{"unsigned long long"}
	}
	for _, t := range types {
		n := cnum{t, v}
		if n.to(t).bits == v && (!n.signed() || int64(v) >= 0) {
			return n, true
		}
	}
	return cnum{}, false
}
