package diff

import (
	"fmt"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// maskBit returns the new enumerator, of the enum that belongs to the struct's comp_mask, that says whether a new member counts:
// one that means it by its name or, if there is none, the only new one.
func (p *pair) maskBit(member string) string {
	if _, ok := p.newOf["comp_mask"]; !ok {
		return ""
	}
	var all []string
	for i := range p.c.new.Enums {
		e := &p.c.new.Enums[i]
		if !masks(e.Name, p.o.Name) {
			continue
		}
		for _, x := range e.Enumerators {
			if !isBit(x.Value) || p.c.had(x.Name) || model.IsSentinel(x.Name) {
				continue
			}
			text := fmt.Sprintf("%s = %s", x.Name, x.Value)
			if means(x.Name, strings.ToUpper(member)) {
				return text
			}
			all = append(all, text)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return ""
}

// means tells whether a mask bit ends in a member's name, or in the name's beginning: MLX5DV_CONTEXT_MASK_OOO_RECV_WRS for
// ooo_recv_wrs_caps.
func means(bit, member string) bool {
	if strings.HasSuffix(bit, "_"+member) {
		return true
	}
	_, word, ok := strings.Cut(bit, "_MASK_")
	return ok && strings.HasPrefix(member, word+"_")
}

// masks tells from its tag whether an enum lists the mask bits of a struct: ibv_qp_init_attr_mask those of ibv_qp_init_attr_ex.
func masks(enum, tag string) bool {
	of, ok := strings.CutSuffix(enum, "_mask")
	of = strings.TrimSuffix(of, "_comp")
	return ok && of == strings.TrimSuffix(tag, "_ex")
}

func isBit(v model.Value) bool {
	u := v.Uint64()
	return !v.Neg() && u != 0 && u&(u-1) == 0
}

// had reports whether the old model has an enumerator or constant of that name.
func (c *comparison) had(name string) bool {
	if c.oldConstants == nil {
		c.oldConstants = c.old.constants()
	}
	_, ok := c.oldConstants[name]
	return ok
}
