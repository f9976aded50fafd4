package bind

import (
	"fmt"
	"go/token"
	"regexp"
	"strings"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/plan"
)

// Names, versions and releases come from records, which may be damaged or hostile. What is printed outside of comments passes
// through here.
var (
	identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	version    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`)
	release    = regexp.MustCompile(`^[0-9A-Za-z_.+~-]*$`)
	header     = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./+-]*$`)
)

// printable checks the names of f itself and of the types that it mentions.
func printable(f *model.Func) error {
	switch {
	case !identifier.MatchString(f.Name) || cWords[f.Name]:
		return fmt.Errorf("%q is not a C name", f.Name)
	case f.Version != "" && !version.MatchString(f.Version):
		return fmt.Errorf("%q is not a symbol's version", f.Version)
	case !release.MatchString(f.Since):
		return fmt.Errorf("%q is not a release", f.Since)
	case f.Kind != model.Exported && f.Kind != model.Inline && f.Kind != model.Macro:
		return fmt.Errorf("%q is no kind of function", f.Kind)
	}
	types := []*model.Type{&f.Result}
	for i := range f.Params {
		if name := f.Params[i].Name; name != "" && !identifier.MatchString(name) {
			return fmt.Errorf("%q is not a C name", name)
		}
		types = append(types, &f.Params[i].Type)
	}
	for _, t := range types {
		for ; t != nil; t = t.Elem {
			if t.Name != "" && t.Kind != model.Scalar && (!identifier.MatchString(t.Name) || cWords[t.Name]) {
				return fmt.Errorf("%q is not a C name", t.Name)
			}
			if t.Kind == model.Pointer && t.Elem == nil {
				return fmt.Errorf("a pointer to nothing")
			}
		}
	}
	return nil
}

func words(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// cWords are names that a C parameter must not have: keywords, and what the printed functions use themselves.
var cWords = words("auto break case char const continue default do double else enum extern float for goto if inline int long register " +
	"restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm typeof " +
	"fn r why ibvgo memcpy memset errno NULL uintptr_t")

// goWords are names that a Go parameter must not have.
var goWords = words("r err ibv unsafe syscall C nil true false int int8 int16 int32 int64 uint8 uint16 uint32 uint64 uintptr bool byte string " +
	"error float32 float64 len")

// nameParams gives each parameter a name that is good in C, and one in Go.
func nameParams(params []Param) {
	c, goNames := map[string]bool{}, map[string]bool{}
	for i := range params {
		a := &params[i]
		name := strings.TrimLeft(a.C, "_")
		if name == "" || cWords[name] || c[name] {
			name = fmt.Sprintf("arg%d", i)
		}
		a.C = name
		c[name] = true
		a.Go = plan.ParamName(name)
		switch {
		case a.Go == "len":
			a.Go = "length"
		case a.Go == "type":
			a.Go = "typ"
		}
		if a.Go == "" || goWords[a.Go] || token.IsKeyword(a.Go) || goNames[a.Go] || a.Go[0] <= '9' {
			a.Go = fmt.Sprintf("arg%d", i)
		}
		goNames[a.Go] = true
	}
}

// clean makes one printable line of s.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffd {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

func upper(s string) string {
	s = clean(s)
	return strings.ToUpper(s[:1]) + s[1:]
}
