package load

import (
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
	"modernc.org/cc/v4"
)

// mentions reports whether enumerators are among the tokens.
func (b *builder) mentions(toks []string) bool {
	return slices.ContainsFunc(toks, func(s string) bool { return b.enumOfName[s] != nil })
}

// nodeWords are the tokens of an expression.
func nodeWords(e cc.Node) (words []string) {
	for _, t := range cc.NodeTokens(e) {
		words = append(words, t.SrcStr())
	}
	return words
}

// plain reports whether an expression is one literal, as most are.
func plain(e cc.ExpressionNode) bool {
	p, ok := e.(*cc.PrimaryExpression)
	return ok && p.Case == cc.PrimaryExpressionInt
}

// checkConstant refuses an expression whose value the front end gets wrong, or may get wrong: one with enumerators in it.
func (b *builder) checkConstant(e cc.ExpressionNode, v model.Value, u use) error {
	if plain(e) {
		return nil
	}
	words := nodeWords(e)
	n, ok := b.evaluate(words)
	switch {
	case ok && n.value() != v:
		return u.refuse("%s is %s, the front end has %s", strings.Join(words, " "), n.value(), v)
	case !ok && (b.mentions(words) || hasArrays(words)):
		return u.refuse("the value of %s is not sure", strings.Join(words, " "))
	}
	return nil
}

// hasArrays reports whether an expression depends on the layout of arrays, or of what has attributes, that it declares itself.
func hasArrays(words []string) bool {
	return slices.Contains(words, "[") || slices.Contains(words, "__attribute__") || slices.Contains(words, "_Alignas")
}

// evaluateEnum gives the enumerators of an enum their values and gcc's types.
func (b *builder) evaluateEnum(e *enum) {
	next, ok := cnum{"int", 0}, true
	var names []string
	for l := e.spec.EnumeratorList; l != nil; l = l.EnumeratorList {
		en := l.Enumerator
		name := en.Token.SrcStr()
		n := next
		if en.Case == cc.EnumeratorExpr {
			n, ok = b.enumeratorValue(en)
		}
		b.enumOfName[name] = e
		if !ok {
			delete(b.enumerators, name)
			continue
		}
		if fit := n.to("int"); fit.value() == n.value() {
			n = fit
		}
		b.enumerators[name] = n
		names = append(names, name)
		next = cnum{n.typ, n.bits + 1}.to(n.typ)
		if next.value().Neg() && !n.value().Neg() || next.bits == 0 && !n.value().Neg() { // gcc 13 goes on in a wider type
			ok = n.info().Size < 8
			next = cnum{"long", n.bits + 1}
		}
	}
	b.settleTypes(names)
}

func (b *builder) enumeratorValue(en *cc.Enumerator) (cnum, bool) {
	if plain(en.ConstantExpression) {
		n, ok := literal(nodeWords(en.ConstantExpression)[0])
		return n, ok
	}
	words := nodeWords(en.ConstantExpression)
	if n, ok := b.evaluate(words); ok {
		return n, true
	}
	v, ok := intValue(en.Value())
	if !ok || b.mentions(words) || hasArrays(words) {
		return cnum{}, false
	}
	if v.Neg() {
		return cnum{"long", v.Uint64()}, true
	}
	return cnum{"unsigned long", v.Uint64()}, true
}

// settleTypes gives the enumerators that do not fit int the type of the enum, which they have once it is complete.
func (b *builder) settleTypes(names []string) {
	size, signed := enumRange(names, func(name string) model.Value { return b.enumerators[name].value() })
	if size == 0 { // refused if it is used
		return
	}
	typ := enumScalar(size, signed)
	for _, name := range names {
		n := b.enumerators[name]
		if fit := n.to("int"); fit.value() != n.value() {
			b.enumerators[name] = n.to(typ)
		}
	}
}
