package load

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"
)

// harmless are the attributes that change no layout and no value.
var harmless = []string{
	"access", "alloc_align", "alloc_size", "always_inline", "artificial", "assume_aligned", "cold", "const", "counted_by",
	"deprecated", "designated_init", "error", "fallthrough", "flatten", "format", "format_arg", "gnu_inline", "hot", "leaf", "malloc",
	"may_alias", "no_sanitize", "noclone", "noinline", "nonnull", "nonstring", "noreturn", "nothrow", "pure", "returns_nonnull",
	"sentinel", "unavailable", "unused", "used", "visibility", "warn_unused_result", "warning", "weak",
}

// layoutAttributes are what the attributes at one place ask for.
type layoutAttributes struct {
	packed bool
	align  int64 // of aligned(N); 0: none
}

// attributes reads the attributes at a place where packed and aligned(N) have the meaning that the front end gives them, and
// refuses all others but the harmless.
func (b *builder) attributes(lists []*cc.AttributeSpecifierList, u use) (la layoutAttributes, err error) {
	for _, list := range lists {
		for l := list; l != nil; l = l.AttributeSpecifierList {
			if err := b.checkPair(l.AttributeSpecifier, u); err != nil {
				return la, err
			}
			for v := l.AttributeSpecifier.AttributeValueList; v != nil; v = v.AttributeValueList {
				if v.AttributeValue == nil {
					continue
				}
				if err := b.attribute(v.AttributeValue, &la, u); err != nil {
					return la, err
				}
			}
		}
	}
	return la, nil
}

func (b *builder) attribute(v *cc.AttributeValue, la *layoutAttributes, u use) error {
	name := strings.TrimSuffix(strings.TrimPrefix(v.Token.SrcStr(), "__"), "__")
	hasArgs := v.Case == cc.AttributeValueExpr && v.ArgumentExpressionList != nil
	switch {
	case slices.Contains(harmless, name):
	case name == "packed" && !hasArgs:
		la.packed = true
	case name == "aligned" && !hasArgs:
		return u.refuse("attribute aligned without a number is not supported")
	case name == "aligned":
		if la.align != 0 {
			return u.refuse("more than one attribute aligned is not supported")
		}

		e := v.ArgumentExpressionList.AssignmentExpression
		n, ok := intValue(e.Value())
		if !ok || n.Neg() || n.Uint64() == 0 || n.Uint64()&(n.Uint64()-1) != 0 || n.Uint64() > 1<<28 {
			return u.refuse("attribute aligned needs a power of two")
		}
		la.align = int64(n.Uint64())
		return b.checkConstant(e, n, u)
	default:
		return u.refuse("attribute %s is not supported", name)
	}
	return nil
}

// noLayout refuses all but harmless attributes.
func (b *builder) noLayout(lists []*cc.AttributeSpecifierList, u use) error {
	la, err := b.attributes(lists, u)
	switch {
	case err != nil:
		return err
	case la.packed:
		return u.refuse("attribute packed is not supported at this place")
	case la.align != 0:
		return u.refuse("attribute aligned is not supported at this place")
	}
	return nil
}
