package load

// The front end gives all enumerators of an enum one type, where gcc gives int to each that fits. So expressions with
// enumerators in them are evaluated here, by gcc's rules, and others as a second opinion. So are all macros: each within its own
// budget, where the front end has one for all, which it spends in no order.

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
	return n, !e.bad && len(e.toks) == 0 && n.typ != address
}

// address is the type of a pointer, which no integer constant has.
const address = "*"

// number reads an operand that must not be a pointer.
func (e *evaluator) number() cnum {
	n := e.unary()
	if n.typ == address {
		return e.fail()
	}
	return n
}

// pointer reports whether an expression is understood, and is a pointer.
func (b *builder) pointer(toks []string) bool {
	e := &evaluator{b: b, toks: toks}
	n := e.ternary()
	return !e.bad && len(e.toks) == 0 && n.typ == address
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
	if cond.typ == address || yes.typ == address || no.typ == address {
		return e.fail()
	}
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
	if a.typ == address || b.typ == address {
		return e.fail()
	}
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
		return e.number().promote()
	case e.accept("-"):
		n := e.number().promote()
		return cnum{n.typ, -n.bits}.to(n.typ)
	case e.accept("~"):
		n := e.number().promote()
		return cnum{n.typ, ^n.bits}.to(n.typ)
	case e.accept("!"):
		return truth(e.number().bits == 0)
	case e.accept("__extension__"):
		return e.unary()
	case e.accept("sizeof"):
		return e.sizeof()
	case e.accept("_Alignof"), e.accept("__alignof__"), e.accept("__alignof"):
		return e.alignof()
	case e.accept(offsetof):
		return e.offsetof()
	}
	if t, n := e.typeName(); n > 0 {
		return e.cast(t, n)
	}
	return e.primary()
}
