package record

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/goverbs/ibv/gen/model"
)

var (
	ident       = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,255}$`)
	versionForm = regexp.MustCompile(`^[A-Za-z0-9.+~_-]{0,64}$`)
)

// Check reports the first inconsistency of m: what no C header can declare, or what would mislead a reader of the record.
func Check(m *model.Model) error {
	c, err := newChecker(m)
	if err != nil {
		return err
	}
	for _, step := range []func() error{c.head, c.enums, c.aggregates, c.consts, c.aliases, c.funcs, c.cycles} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// A checker knows what m's names stand for.
type checker struct {
	m          *model.Model
	aggregate  map[string]*model.Aggregate
	enum       map[string]*model.Enum
	enumerator map[string]model.Value
}

func newChecker(m *model.Model) (*checker, error) {
	c := &checker{m, map[string]*model.Aggregate{}, map[string]*model.Enum{}, map[string]model.Value{}}
	for i := range m.Aggregates {
		a := &m.Aggregates[i]
		if err := addName(c.aggregate, a.Name, a, what(a)); err != nil {
			return nil, err
		}
	}
	for i := range m.Enums {
		e := &m.Enums[i]
		if e.Name != "" || e.Typedef {
			if err := addName(c.enum, e.Name, e, "enum"); err != nil {
				return nil, err
			}
		}
		for _, x := range e.Enumerators {
			if err := addName(c.enumerator, x.Name, x.Value, "enumerator"); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// addName adds a name that is there only once.
func addName[T any](to map[string]T, name string, v T, what string) error {
	if !ident.MatchString(name) {
		return fmt.Errorf("%s %.80q: not a C name", what, name)
	}
	if _, ok := to[name]; ok {
		return fmt.Errorf("%s %s stands twice", what, name)
	}
	to[name] = v
	return nil
}

func what(a *model.Aggregate) string {
	if a.Union {
		return "union"
	}
	return "struct"
}

// head checks the texts that generated comments and #include lines quote.
func (c *checker) head() error {
	h := c.m.Header
	if h == "" || len(h) > 4096 || strings.ContainsAny(h, "\"<>\\") || strings.Contains(h, "*/") ||
		strings.ContainsFunc(h, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("header %.80q: no name of a header", h)
	}
	if r := c.m.Release; r != "" && !IsRelease(r) {
		return fmt.Errorf("release %.80q: no release's number, such as 65.0 or 66.0-rc1", r)
	}
	for _, t := range []struct{ what, text string }{{"level", c.m.Level}, {"kernel", c.m.Kernel}} {
		if !versionForm.MatchString(t.text) {
			return fmt.Errorf("%s %.80q: no version number", t.what, t.text)
		}
	}
	return nil
}

func since(s string) error {
	if s != "" && !IsRelease(s) {
		return fmt.Errorf("since %.80q: no version number", s)
	}
	return nil
}

func (c *checker) aliases() error {
	seen := map[string]bool{}
	for _, a := range c.m.Aliases {
		if err := addName(seen, a.Name, true, "alias"); err != nil {
			return err
		}
		if c.aggregate[a.Tag] == nil && c.enum[a.Tag] == nil {
			return fmt.Errorf("alias %s: nothing has the tag %.80q", a.Name, a.Tag)
		}
		if err := since(a.Since); err != nil {
			return fmt.Errorf("alias %s: %w", a.Name, err)
		}
	}
	return nil
}

func (c *checker) funcs() error {
	seen := map[string]bool{}
	for i := range c.m.Funcs {
		f := &c.m.Funcs[i]
		if err := addName(seen, f.Name, true, "function"); err != nil {
			return err
		}
		if err := c.function(f); err != nil {
			return fmt.Errorf("function %s: %w", f.Name, err)
		}
	}
	return nil
}

func (c *checker) function(f *model.Func) error {
	if f.Kind != model.Exported && f.Kind != model.Inline && f.Kind != model.Macro {
		return fmt.Errorf("unknown kind %.80q", f.Kind)
	}
	if !versionForm.MatchString(f.Version) {
		return fmt.Errorf("symbol version %.80q: no version", f.Version)
	}
	types := []model.Type{f.Result}
	for i, p := range f.Params {
		if p.Name != "" && !ident.MatchString(p.Name) {
			return fmt.Errorf("parameter %d: %.80q is not a C name", i+1, p.Name)
		}
		types = append(types, p.Type)
	}
	for i, t := range types {
		if f.Kind == model.Macro && t.Kind == model.Invalid {
			continue
		}
		if err := c.typ(&t, 0); err != nil {
			return fmt.Errorf("type %d: %w", i, err)
		}
	}
	return since(f.Since)
}
