package load

import (
	"math"

	"github.com/goverbs/ibv/gen/model"
)

func (e *enum) String() string {
	switch {
	case e.name == "":
		return "unnamed enum"
	case e.typedef:
		return "enum typedef " + e.name
	}
	return "enum " + e.name
}

// ownEnums evaluates all enums and adds the header's own.
func (b *builder) ownEnums() error {
	for _, e := range b.decls.enumList {
		b.evaluateEnum(e)
	}
	for _, e := range b.decls.enumList {
		if b.in.own.owns(e.file) {
			if err := b.addEnum(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// addEnum puts an enum into the model, once.
func (b *builder) addEnum(e *enum) error {
	if e.reached {
		return nil
	}
	e.reached = !b.dry
	m, err := b.enumOf(e)
	if err != nil {
		return err
	}
	if !b.dry {
		b.out.Enums = append(b.out.Enums, m)
	}
	return nil
}

// enumOf describes an enum. Its size and sign are gcc's: the first of unsigned int, int, unsigned long and long that holds all.
func (b *builder) enumOf(e *enum) (model.Enum, error) {
	if m, ok := b.enums[e]; ok {
		return m, nil
	}
	m := model.Enum{Name: e.name, Typedef: e.typedef, Pos: e.pos}
	u := use{pos: e.pos, item: e.String()}
	if err := b.noLayout(e.outer, u); err != nil {
		return m, err
	}
	if e.spec.EnumTypeSpecifier != nil {
		return m, u.refuse("an enum with a type of its own is not supported")
	}
	for l := e.spec.EnumeratorList; l != nil; l = l.EnumeratorList {
		name := l.Enumerator.Token.SrcStr()
		_, pos := place(l.Enumerator)
		n, ok := b.enumerators[name]
		if !ok {
			return m, refusef(pos, u.item, "the value of %s is not sure", name)
		}
		m.Enumerators = append(m.Enumerators, model.Enumerator{Name: name, Value: n.value(), Pos: pos})
	}
	m.Size, m.Signed = enumRange(m.Enumerators, func(en model.Enumerator) model.Value { return en.Value })
	if m.Size == 0 {
		return m, u.refuse("no integer type holds all its values")
	}
	if t := e.spec.Type(); t == nil || t.Size() != m.Size {
		return m, u.refuse("the front end gives it another size than %d bytes", m.Size)
	}
	b.enums[e] = m
	return m, nil
}

// enumRange returns the size and sign of the first of unsigned int, int, unsigned long and long that holds all values, as gcc
// chooses; size 0 if none does.
func enumRange[T any](list []T, value func(T) model.Value) (size int64, signed bool) {
	var low int64
	var high uint64
	for _, x := range list {
		if v := value(x); v.Neg() {
			low = min(low, int64(v.Uint64()))
		} else {
			high = max(high, v.Uint64())
		}
	}
	switch {
	case low < 0 && high > math.MaxInt64:
		return 0, true
	case low < math.MinInt32 || high > math.MaxUint32 || low < 0 && high > math.MaxInt32:
		return 8, low < 0
	}
	return 4, low < 0
}
