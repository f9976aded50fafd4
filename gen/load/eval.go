package load

import (
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// The front end gives all enumerators of an enum one type, where gcc gives int to each that fits. So expressions with
// enumerators in them are evaluated here, by gcc's rules; others as a second opinion.

// An evaluator reads one expression of preprocessed tokens.
type evaluator struct {
	b     *builder
	toks  []string
	depth int
	bad   bool // something was met that is not understood
}

// evaluate returns the value of an expression, if all of it is understood.
func (b *builder) evaluate(toks []string) (cnum, bool) {
	e := &evaluator{b: b, toks: toks}
	n := e.ternary()
	return n, !e.bad && len(e.toks) == 0
}

func (e *evaluator) fail() cnum {
	e.bad = true
	return cnum{"int", 0}
}

func (e *evaluator) peek() string {
	if e.bad || len(e.toks) == 0 {
		return ""
	}
	return e.toks[0]
}

func (e *evaluator) accept(s string) bool {
	if e.peek() != s {
		return false
	}
	e.toks = e.toks[1:]
	return true
}

// enter bounds the recursion.
func (e *evaluator) enter() bool {
	if e.depth++; e.depth > 200 {
		e.bad = true
	}
	return !e.bad
}

func (e *evaluator) ternary() cnum {
	defer func() { e.depth-- }()
	if !e.enter() {
		return e.fail()
	}
	cond := e.binary(0)
	if !e.accept("?") {
		return cond
	}
	yes := e.ternary()
	if !e.accept(":") {
		return e.fail()
	}
	no := e.ternary()
	yes, no = common(yes, no)
	if cond.bits != 0 {
		return yes
	}
	return no
}

// levels are the binary operators, the loosest first.
var levels = [][]string{
	{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
}

func (e *evaluator) binary(level int) cnum {
	if level == len(levels) {
		return e.unary()
	}
	a := e.binary(level + 1)
next:
	for !e.bad {
		for _, op := range levels[level] {
			if e.accept(op) {
				a = e.apply(op, a, e.binary(level+1))
				continue next
			}
		}
		break
	}
	return a
}

func (e *evaluator) apply(op string, a, b cnum) cnum {
	switch op {
	case "||":
		return truth(a.bits != 0 || b.bits != 0)
	case "&&":
		return truth(a.bits != 0 && b.bits != 0)
	case "<<", ">>":
		return e.shift(op, a.promote(), b.promote())
	}
	a, b = common(a, b)
	less := a.bits < b.bits
	if a.signed() {
		less = int64(a.bits) < int64(b.bits)
	}
	r := cnum{a.typ, 0}
	switch op {
	case "|":
		r.bits = a.bits | b.bits
	case "^":
		r.bits = a.bits ^ b.bits
	case "&":
		r.bits = a.bits & b.bits
	case "+":
		r.bits = a.bits + b.bits
	case "-":
		r.bits = a.bits - b.bits
	case "*":
		r.bits = a.bits * b.bits
	case "/", "%":
		return e.divide(op, a, b)
	case "==":
		return truth(a.bits == b.bits)
	case "!=":
		return truth(a.bits != b.bits)
	case "<":
		return truth(less)
	case ">":
		return truth(!less && a.bits != b.bits)
	case "<=":
		return truth(less || a.bits == b.bits)
	case ">=":
		return truth(!less)
	}
	return r.to(r.typ)
}

func (e *evaluator) shift(op string, a, b cnum) cnum {
	switch {
	case b.bits >= 8*uint64(a.info().Size):
		return e.fail()
	case op == "<<":
		return cnum{a.typ, a.bits << b.bits}.to(a.typ)
	case a.signed():
		return cnum{a.typ, uint64(int64(a.bits) >> b.bits)}
	}
	return cnum{a.typ, a.bits >> b.bits}
}

func (e *evaluator) divide(op string, a, b cnum) cnum {
	if b.bits == 0 || a.signed() && int64(b.bits) == -1 && a.bits != 0 && a.bits == -a.bits {
		return e.fail()
	}
	q, r := a.bits/b.bits, a.bits%b.bits
	if a.signed() {
		q, r = uint64(int64(a.bits)/int64(b.bits)), uint64(int64(a.bits)%int64(b.bits))
	}
	if op == "%" {
		q = r
	}
	return cnum{a.typ, q}.to(a.typ)
}

func (e *evaluator) unary() cnum {
	defer func() { e.depth-- }()
	if !e.enter() {
		return e.fail()
	}
	switch {
	case e.accept("+"):
		return e.unary().promote()
	case e.accept("-"):
		n := e.unary().promote()
		return cnum{n.typ, -n.bits}.to(n.typ)
	case e.accept("~"):
		n := e.unary().promote()
		return cnum{n.typ, ^n.bits}.to(n.typ)
	case e.accept("!"):
		return truth(e.unary().bits == 0)
	case e.accept("__extension__"):
		return e.unary()
	case e.accept("sizeof"):
		return e.sizeof()
	}
	if typ, n := e.typeName(); n > 0 {
		e.toks = e.toks[n:]
		v := e.unary()
		if typ == "char" && v.bits > 127 { // its sign is the architecture's
			return e.fail()
		}
		return v.to(typ)
	}
	return e.primary()
}

func (e *evaluator) sizeof() cnum {
	typ, n := e.typeName()
	if n > 0 {
		e.toks = e.toks[n:]
	} else {
		typ = e.unary().typ
	}
	return cnum{"unsigned long", uint64(model.Scalars[typ].Size)}
}

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
	if len(s) == 3 && s[0] == '\'' && s[1] < 0x80 && s[1] != '\\' {
		return cnum{"int", uint64(s[1])}
	}
	if n, ok := e.b.enumerators[s]; ok {
		return n
	}
	return e.fail()
}

// typeName reads "( integer type )" and returns the type and the number of tokens.
func (e *evaluator) typeName() (string, int) {
	if e.peek() != "(" {
		return "", 0
	}
	var words []string
	for i, s := range e.toks[1:] {
		switch {
		case s == ")" && len(words) > 0:
			if t := e.b.integerType(words); t != "" {
				return t, i + 2
			}
			return "", 0
		case s == "const" || s == "volatile":
		case len(words) > 4:
			return "", 0
		default:
			words = append(words, s)
		}
	}
	return "", 0
}

// integerType resolves the words of an integer type, a typedef among them.
func (b *builder) integerType(words []string) string {
	if len(words) == 1 && b.decls.typedefs[words[0]] != nil {
		t, err := b.typedefType(words[0], use{})
		if err != nil || t.Kind != model.Scalar {
			return ""
		}
		words = strings.Fields(t.Name)
	}
	name := canonicalWords(words)
	if info := model.Scalars[name]; name == "" || info.Float || info.Size > 8 {
		return ""
	}
	return name
}
