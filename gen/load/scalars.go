package load

import (
	"strings"

	"modernc.org/cc/v4"
)

// words are the keywords of arithmetic types, in the order in which the canonical spelling has them.
var words = []struct {
	c    cc.TypeSpecifierCase
	word string
}{
	{cc.TypeSpecifierComplex, "_Complex"}, {cc.TypeSpecifierSigned, "signed"}, {cc.TypeSpecifierUnsigned, "unsigned"},
	{cc.TypeSpecifierLong, "long"}, {cc.TypeSpecifierShort, "short"}, {cc.TypeSpecifierBool, "_Bool"},
	{cc.TypeSpecifierChar, "char"}, {cc.TypeSpecifierInt, "int"}, {cc.TypeSpecifierInt128, "__int128"},
	{cc.TypeSpecifierUint128, "unsigned __int128"}, {cc.TypeSpecifierFloat, "float"}, {cc.TypeSpecifierDouble, "double"},
}

// canonical maps words in that order to the spelling that model.Scalars has.
var canonical = map[string]string{
	"_Bool": "_Bool", "char": "char", "signed char": "signed char", "unsigned char": "unsigned char",
	"short": "short", "short int": "short", "signed short": "short", "signed short int": "short",
	"unsigned short": "unsigned short", "unsigned short int": "unsigned short",
	"int": "int", "signed": "int", "signed int": "int", "unsigned": "unsigned int", "unsigned int": "unsigned int",
	"long": "long", "long int": "long", "signed long": "long", "signed long int": "long",
	"unsigned long": "unsigned long", "unsigned long int": "unsigned long",
	"long long": "long long", "long long int": "long long", "signed long long": "long long", "signed long long int": "long long",
	"unsigned long long": "unsigned long long", "unsigned long long int": "unsigned long long",
	"__int128": "__int128", "signed __int128": "__int128", "unsigned __int128": "unsigned __int128",
	"float": "float", "double": "double", "long double": "long double",
	"_Complex float": "_Complex float", "_Complex double": "_Complex double", "_Complex long double": "_Complex long double",
}

// scalarName returns the canonical spelling of an arithmetic type, or refuses one that the front end or Go lacks.
func scalarName(types []*cc.TypeSpecifier, u use) (string, error) {
	var source []string
	for _, t := range types {
		if t.Case == cc.TypeSpecifierAtomic {
			return "", u.refuse("an _Atomic type is not supported")
		}
		source = append(source, t.Token.SrcStr())
	}
	var have []string
	for _, w := range words {
		for _, t := range types {
			if t.Case == w.c {
				have = append(have, w.word)
			}
		}
	}
	name := canonical[strings.Join(have, " ")]
	if name == "" || len(have) != len(types) {
		return "", u.refuse("the type %q is not supported", strings.Join(source, " "))
	}
	return name, nil
}

// canonicalWords is the canonical spelling of a type of these keywords, in any order.
func canonicalWords(have []string) string {
	var sorted []string
	for _, w := range words {
		for _, h := range have {
			if h == w.word {
				sorted = append(sorted, h)
			}
		}
	}
	if len(sorted) != len(have) {
		return ""
	}
	return canonical[strings.Join(sorted, " ")]
}

// enumScalar is the integer type of an enum.
func enumScalar(size int64, signed bool) string {
	switch {
	case size == 8 && signed:
		return "long"
	case size == 8:
		return "unsigned long"
	case signed:
		return "int"
	}
	return "unsigned int"
}
