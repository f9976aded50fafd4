package record

import (
	"fmt"

	"github.com/goverbs/ibv/gen/model"
)

// constants is the state of joinConstants: models come newest first.
type constants struct {
	enums  []model.Enum
	consts []model.Const
	tag    map[string]int // index in enums
	home   map[string]int // of an enumerator: index in enums
	value  map[string]model.Value
	from   map[string]string // release of value
	since  map[string]string // of enumerators and constants
}

func joinConstants(models []*model.Model) ([]model.Enum, []model.Const, error) {
	c := constants{
		tag: map[string]int{}, home: map[string]int{}, value: map[string]model.Value{},
		from: map[string]string{}, since: map[string]string{},
	}
	for _, m := range models {
		for i := range m.Enums {
			if err := c.addEnum(&m.Enums[i], m.Release); err != nil {
				return nil, nil, err
			}
		}
		for _, k := range m.Consts {
			old, err := c.seen(k.Name, k.Value, m.Release)
			if err != nil {
				return nil, nil, err
			}
			// A macro may repeat an enumerator of its own release.
			if !old || c.from[k.Name] == m.Release {
				c.consts = append(c.consts, k)
			}
		}
	}
	for i := range c.enums {
		for j := range c.enums[i].Enumerators {
			c.enums[i].Enumerators[j].Since = c.since[c.enums[i].Enumerators[j].Name]
		}
	}
	for i := range c.consts {
		c.consts[i].Since = c.since[c.consts[i].Name]
	}
	return c.enums, c.consts, nil
}

// seen notes that release has name. It reports whether a newer release has it too, and an error if with another value.
func (c *constants) seen(name string, v model.Value, release string) (bool, error) {
	c.since[name] = release
	now, ok := c.value[name]
	if !ok {
		c.value[name], c.from[name] = v, release
		return false, nil
	}
	if now != v && !model.IsSentinel(name) {
		return true, fmt.Errorf("constant %s: %s in %s, %s in %s", name, v, releaseName(release), now, releaseName(c.from[name]))
	}
	return true, nil
}

// find returns the index of the enum that e is an older form of: the one with its tag, or with one of its enumerators.
func (c *constants) find(e *model.Enum) int {
	if i, ok := c.tag[e.Name]; ok && e.Name != "" {
		return i
	}
	for _, x := range e.Enumerators {
		if i, ok := c.home[x.Name]; ok {
			return i
		}
	}
	return -1
}

func (c *constants) addEnum(e *model.Enum, release string) error {
	i := c.find(e)
	if i < 0 {
		i = len(c.enums)
		n := *e
		n.Enumerators = nil
		c.enums = append(c.enums, n)
	}
	u := &c.enums[i]
	if e.Size != u.Size {
		return fmt.Errorf("%s: size %d in %s, %d later", enumName(e), e.Size, releaseName(release), u.Size)
	}
	if u.Name != "" {
		c.tag[u.Name] = i
	}
	u.Since = release
	for _, x := range e.Enumerators {
		old, err := c.seen(x.Name, x.Value, release)
		if err != nil {
			return fmt.Errorf("%s: %w", enumName(e), err)
		}
		if !old {
			u.Enumerators = append(u.Enumerators, x)
			c.home[x.Name] = i
		}
		if x.Value.Neg() {
			u.Signed = true
		}
	}
	return nil
}
