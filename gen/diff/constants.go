package diff

import (
	"fmt"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// A constant is an enumerator or a macro's value.
type constant struct {
	value model.Value
	enum  *model.Enum // nil: a macro
	typ   model.Type  // of a macro
}

// constants returns all of a model's constants; of a macro that repeats an enumerator, the enumerator.
func (s sideModel) constants() map[string]constant {
	r := map[string]constant{}
	for _, k := range s.Consts {
		r[k.Name] = constant{k.Value, nil, k.Type}
	}
	for i := range s.Enums {
		for _, x := range s.Enums[i].Enumerators {
			r[x.Name] = constant{value: x.Value, enum: &s.Enums[i]}
		}
	}
	return r
}

func (k constant) home() string {
	if k.enum == nil {
		return "a macro"
	}
	return "in " + enumName(k.enum)
}

func (c *comparison) constants() {
	olds, news := c.old.constants(), c.new.constants()
	for name, o := range olds {
		n, ok := news[name]
		kind := ChangedConstant
		if o.enum != nil {
			kind = ChangedEnumerator
		}
		ch := Change{Item: name, Old: o.value.String(), New: n.value.String()}
		switch {
		case !ok:
			c.add(RemovedName, Incompatible, Change{Item: name, Old: o.text()})
		case o.value != n.value && model.IsSentinel(name):
			ch.Note = "the next free value"
			c.add(MovedSentinel, Compatible, ch)
		case o.value != n.value:
			c.add(kind, Incompatible, ch)
		case (o.enum == nil) != (n.enum == nil):
			ch.Old, ch.New, ch.Note = o.home(), n.home(), "the same value"
			c.add(kind, Compatible, ch)
		case o.enum == nil && c.old.pass(o.typ) != c.new.pass(n.typ):
			ch.Old, ch.New, ch.Note = c.old.c(o.typ), c.new.c(n.typ), "the same value"
			c.add(kind, Compatible, ch)
		}
	}
	for name, n := range news {
		if _, ok := olds[name]; !ok {
			c.add(AddedName, Compatible, Change{Item: name, New: n.text()})
		}
	}
}

func (k constant) text() string { return fmt.Sprintf("%s, %s", k.value, k.home()) }

// enumName names an enum; an untagged one by its first enumerator.
func enumName(e *model.Enum) string {
	switch {
	case e.Name != "":
		return "enum " + e.Name
	case len(e.Enumerators) > 0:
		return "the untagged enum of " + e.Enumerators[0].Name
	}
	return "an untagged enum"
}

// enums compares enumerations: tagged ones by tag, others, and tags that are gone, by any enumerator that both have.
func (c *comparison) enums() {
	now := c.new.constants()
	for i := range c.old.Enums {
		o := &c.old.Enums[i]
		n := c.new.enum[o.Name]
		if n == nil {
			n = shared(o, now)
		}
		switch {
		case n != nil:
			c.enum(o, n)
		case o.Name != "":
			c.add(RemovedName, Incompatible, Change{Item: enumName(o)})
		}
	}
	before := c.old.constants()
	for i := range c.new.Enums {
		n := &c.new.Enums[i]
		if n.Name != "" && c.old.enum[n.Name] == nil && shared(n, before) == nil {
			c.add(AddedName, Compatible, Change{Item: enumName(n), New: names(n)})
		}
	}
}

// shared returns the enum in which the other model has one of e's enumerators.
func shared(e *model.Enum, other map[string]constant) *model.Enum {
	for _, x := range e.Enumerators {
		if k := other[x.Name]; k.enum != nil {
			return k.enum
		}
	}
	return nil
}

func (c *comparison) enum(o, n *model.Enum) {
	ch := Change{Item: enumName(o)}
	if o.Name != n.Name {
		class := Incompatible // the old tag is gone
		if o.Name == "" {
			class = Compatible
		}
		ch.Old, ch.New = enumName(o), enumName(n)
		c.add(ChangedEnum, class, ch)
	}
	if o.Size != n.Size || o.Signed != n.Signed {
		ch.Old, ch.New = integer(o.Size, o.Signed), integer(n.Size, n.Signed)
		c.add(ChangedEnum, Incompatible, ch)
	}
}

// names lists an enum's first enumerators.
func names(e *model.Enum) string {
	var r []string
	for i, x := range e.Enumerators {
		if i == 3 && len(e.Enumerators) > 4 {
			r = append(r, fmt.Sprintf("%d more", len(e.Enumerators)-i))
			break
		}
		r = append(r, x.Name)
	}
	return strings.Join(r, ", ")
}
