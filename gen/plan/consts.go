package plan

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// planConsts puts the macro constants into two groups. One that names an enumerator has the enum's Go type, the others are
// untyped, as in C they go with anything.
func (p *planner) planConsts() error {
	plain := Group{Doc: []string{"Macros of " + p.pkg.Header + " with integer values."}}
	typed := Group{Doc: []string{"Macros of " + p.pkg.Header + " that stand for values of enums."}}
	for _, c := range p.m.Consts {
		if err := p.checkC(c.Pos, "macro", c.Name); err != nil {
			return err
		}
		k := Const{Go: constName(c.Name), C: c.Name, Value: c.Value, Text: macroText(c.Name, c.Value), Note: p.history.note(c.Since, "")}
		if err := p.add(p.scope, k.Go, "macro "+c.Name, c.Pos); err != nil {
			return err
		}
		if c.Type.Kind == model.EnumRef {
			k.Type = p.goNames[c.Type.Name]
			if e := p.enums[c.Type.Name]; e != nil {
				k.Text = valueText(c.Value, p.isFlags(e))
			}
		}
		k.Doc = wrap(p.ov.Consts[c.Name])
		if k.Type == "" {
			plain.Consts = append(plain.Consts, k)
		} else {
			typed.Consts = append(typed.Consts, k)
		}
	}
	for _, g := range []Group{plain, typed} {
		slices.SortFunc(g.Consts, func(a, b Const) int { return strings.Compare(a.Go, b.Go) })
		if len(g.Consts) > 0 {
			p.pkg.Groups = append(p.pkg.Groups, g)
		}
	}
	return nil
}

// macroText is v in Go: a high single bit as a shift, what the name calls a mask or flags as bits, else decimal.
func macroText(c string, v model.Value) string {
	u := v.Uint64()
	return valueText(v, bits.OnesCount64(u) == 1 && u >= 1<<16 || strings.HasSuffix(c, "_MASK") || strings.HasSuffix(c, "_FLAGS"))
}
