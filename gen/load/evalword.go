package load

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

func (e *evaluator) primary() cnum {
	if e.accept("(") {
		n := e.ternary()
		if !e.accept(")") {
			return e.fail()
		}
		return n
	}
	s := e.peek()
	if s == "" {
		return e.fail()
	}
	e.toks = e.toks[1:]
	if s[0] >= '0' && s[0] <= '9' {
		n, ok := literal(s)
		if !ok {
			return e.fail()
		}
		return n
	}
	if s[0] == '\'' {
		n, ok := character(s)
		if !ok {
			return e.fail()
		}
		return n
	}
	if n, ok := e.b.enumerators[s]; ok {
		return n
	}
	return e.fail()
}

// character reads a character constant that is the same whatever the sign of char is.
func character(s string) (cnum, bool) {
	body, ok := strings.CutSuffix(s[1:], "'")
	if !ok || body == "" {
		return cnum{}, false
	}
	v := uint64(body[0])
	if body[0] == '\\' {
		switch rest := body[1:]; {
		case len(rest) == 1 && strings.ContainsAny(rest, `abfnrtv\'"?`):
			v = uint64("\a\b\f\n\r\t\v\\'\"?"[strings.Index(`abfnrtv\'"?`, rest)])
		case strings.HasPrefix(rest, "x"):
			n, err := strconv.ParseUint(rest[1:], 16, 7)
			return cnum{"int", n}, err == nil
		default:
			n, err := strconv.ParseUint(rest, 8, 7)
			return cnum{"int", n}, err == nil && len(rest) <= 3
		}
	} else if len(body) > 1 {
		return cnum{}, false
	}
	return cnum{"int", v}, v < 0x80
}

// truncated reads a floating-point number, in parentheses perhaps, that is converted to an integer.
func (e *evaluator) truncated() (cnum, bool) {
	toks, open, negative := e.toks, 0, false
	for ; len(toks) > 0 && (toks[0] == "(" || toks[0] == "-" || toks[0] == "+"); toks = toks[1:] {
		if toks[0] == "(" {
			open++
		}
		negative = negative != (toks[0] == "-")
	}
	if len(toks) <= open || !isFloat(toks[0]) {
		return cnum{}, false
	}
	f, err := strconv.ParseFloat(strings.TrimRight(toks[0], "fFlL"), 64)
	if err != nil || math.Abs(f) >= 1<<52 {
		return cnum{}, false
	}
	for _, t := range toks[1 : 1+open] {
		if t != ")" {
			return cnum{}, false
		}
	}
	e.toks = toks[1+open:]
	if negative {
		f = -f
	}
	return cnum{"long", uint64(int64(f))}, true
}

// isFloat reports whether a token is a decimal floating-point number.
func isFloat(s string) bool {
	return s != "" && (s[0] >= '0' && s[0] <= '9' || s[0] == '.' && len(s) > 1) && strings.ContainsAny(s, ".eEpP") && !strings.HasPrefix(s, "0x")
}

// sizeofBody matches an expression with the size of a struct or union that it defines.
var sizeofBody = regexp.MustCompile(`^(\( )*([^{]* )?sizeof \( (struct|union)( \w+)? \{`)

// fragments are the operators that no expression begins or ends with.
var fragments = strings.Fields("* / % << >> < > <= >= == != & | ^ && || ? : , ] [")

// operators are the tokens, names and numbers apart, of which integer constants are made.
var operators = strings.Fields("( ) [ ] + - * / % << >> < > <= >= == != & | ^ && || ! ~ ? : sizeof _Alignof __alignof__ __alignof " + offsetof)

// mayBeInteger reports whether the words look like an integer constant: all of them may be part of one, and there is a number.
func (b *builder) mayBeInteger(words []string) bool {
	last := words[len(words)-1]
	if slices.Contains(fragments, words[0]) || last != "]" && last != ")" && slices.Contains(operators, last) ||
		slices.Contains(words, ":") != slices.Contains(words, "?") {
		return false
	}
	if sizeofBody.MatchString(strings.Join(words, " ")) {
		return true
	}
	numbers, casts := false, false
	for i, w := range words {
		switch {
		case slices.Contains(operators, w):
			e := evaluator{b: b, toks: words[i:]}
			t, n := e.typeName()
			casts = casts || n > 0 && t.Kind == model.Scalar && !model.Scalars[t.Name].Float
			numbers = numbers || len(w) > 6 // sizeof and its like
		case isFloat(w):
			numbers = true
		case w[0] >= '0' && w[0] <= '9' || w[0] == '\'' || b.enumOfName[w] != nil:
			numbers = true
		case slices.Contains(typeWords, w) || w == "struct" || w == "union" || w == "enum" || w == "void" || b.decls.typedefs[w] != nil:
		case i > 0 && (words[i-1] == "struct" || words[i-1] == "union" || words[i-1] == "enum"):
		case slices.Contains(words, offsetof):
		default:
			return false
		}
	}
	float := slices.ContainsFunc(words, func(w string) bool { return isFloat(w) || w == "float" || w == "double" })
	if slices.Contains(words, "[") && !slices.Contains(words, "sizeof") {
		return false
	}
	return numbers && (!float || casts) && !slices.Contains(typeWords, words[0])
}
