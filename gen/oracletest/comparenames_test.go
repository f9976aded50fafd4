package oracletest

import (
	"fmt"
	"slices"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/internal/oracle"
)

// compareMacros returns what differs between the constants of m and the macros that the compiler takes for integers.
func compareMacros(m *model.Model, macros []oracle.Macro) []string {
	var diffs []string
	got := map[string]*model.Const{}
	for i := range m.Consts {
		got[m.Consts[i].Name] = &m.Consts[i]
	}
	for _, want := range macros {
		c := got[want.Name]
		delete(got, want.Name)
		if c == nil {
			diffs = append(diffs, fmt.Sprintf("macro %s (%s:%d) = %s: not in the model", want.Name, want.File, want.Line, want.Value))
			continue
		}
		if c.Value.String() != want.Value {
			diffs = append(diffs, fmt.Sprintf("macro %s: %s, want %s", want.Name, c.Value, want.Value))
		}
		info, ok := model.Scalars[c.Type.Name]
		if c.Type.Kind == model.Scalar && (!ok || info.Size != want.Size || !info.Char && info.Signed != want.Signed) {
			diffs = append(diffs, fmt.Sprintf("macro %s: type %s, want %d bytes, signed %v", want.Name, c.Type.Text(), want.Size, want.Signed))
		}
	}
	for name, c := range got {
		diffs = append(diffs, fmt.Sprintf("macro %s (%s) = %s: no integer for the compiler", name, c.Pos, c.Value))
	}
	slices.Sort(diffs)
	return diffs
}

// compareFuncs returns what differs between the functions of m, function-like macros apart, and the compiler's.
func compareFuncs(m *model.Model, funcs []oracle.Function, own func(string) bool) []string {
	var diffs []string
	got := map[string]*model.Func{}
	for i := range m.Funcs {
		if f := &m.Funcs[i]; f.Kind != model.Macro {
			got[f.Name] = f
		}
	}
	for _, want := range funcs {
		f := got[want.Name]
		delete(got, want.Name)
		switch {
		case f == nil && own(want.File):
			diffs = append(diffs, fmt.Sprintf("function %s (%s:%d): not in the model", want.Name, want.File, want.Line))
		case f != nil && (f.Kind == model.Inline) != want.Defined:
			diffs = append(diffs, fmt.Sprintf("function %s: %s in the model, defined in the header: %v", want.Name, f.Kind, want.Defined))
		}
	}
	for name, f := range got {
		diffs = append(diffs, fmt.Sprintf("function %s (%s): not seen by the compiler", name, f.Pos))
	}
	slices.Sort(diffs)
	return diffs
}
