package bind

import (
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// assertions hold whatever header is built with to the layout of the oldest record: offsets and values exactly, sizes at least.
func assertions(p *Package, c *code) {
	c.comment("A header that moved a member or changed a value does not compile here. It may have more of everything.")
	c.line("")
	c.line("#include <%s>", p.Header)
	c.line("#include <stddef.h>")
	c.line("")
	common, own := p.split()
	for _, l := range common {
		c.line("%s", l)
	}
	for _, f := range p.Fronts {
		if f.Distance.By == nil {
			c.line("%s", frontAssertion(f, f.Distance.V))
		}
	}
	for i, arch := range model.Archs {
		word := "elif"
		if i == 0 {
			word = "if"
		}
		c.line("")
		c.line("#%s %s", word, machines[arch])
		for _, l := range own[arch] {
			c.line("%s", l)
		}
		for _, f := range p.Fronts {
			if f.Distance.By != nil {
				c.line("%s", frontAssertion(f, f.Distance.At(arch)))
			}
		}
	}
	c.line("")
	c.line("#else")
	c.line("#error the layouts are known for %s only", strings.Join(model.Archs, ", "))
	c.line("#endif")
}

func frontAssertion(f Front, distance int64) string {
	c := &code{}
	c.line("_Static_assert(sizeof(%s) - offsetof(%[1]s, %s) == %d, \"distance of %[2]s from the end of %[1]s is not %[3]d\");",
		f.Type, f.Member, distance)
	return strings.TrimSuffix(c.String(), "\n")
}

// split tells what holds on every architecture from what differs. The includes, which probe writes too, are left out.
func (p *Package) split() (common []string, own map[string][]string) {
	count := map[string]int{}
	for _, lines := range p.Asserts {
		seen := map[string]bool{}
		for _, l := range lines {
			if !seen[l] {
				seen[l] = true
				count[l]++
			}
		}
	}
	own = map[string][]string{}
	for i, arch := range model.Archs {
		for _, l := range p.Asserts[arch] {
			switch {
			case strings.HasPrefix(l, "#include "):
			case count[l] < len(model.Archs):
				own[arch] = append(own[arch], l)
			case i == 0:
				common = append(common, l)
			}
		}
	}
	return common, own
}
