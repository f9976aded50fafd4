package model

// A Flat is a named member as C code reaches it: through the unnamed structs and unions around it.
type Flat struct {
	*Member            // the member itself; its Offset and Bits count from the innermost aggregate
	At      Num        // bytes from the start of the outermost aggregate
	Bit     Num        // of a bit-field: bits from the start of the outermost aggregate
	Around  *Aggregate // the innermost aggregate
}

// Flat returns a's named members, in order, those of unnamed structs and unions included.
func (a *Aggregate) Flat() []Flat { return a.flat(nil, Num{}, 0) }

func (a *Aggregate) flat(r []Flat, at Num, depth int) []Flat {
	for i := range a.Members {
		m := &a.Members[i]
		f := Flat{Member: m, At: at.Add(m.Offset), Around: a}
		switch {
		case m.Bits != nil:
			f.Bit = at.Mul(8).Add(m.Bits.Pos)
			r = append(r, f)
		case m.Name != "":
			r = append(r, f)
		case m.Type.Body != nil && depth < maxTypeDepth:
			r = m.Type.Body.flat(r, f.At, depth+1)
		}
	}
	return r
}

// Add returns the sum on each architecture.
func (n Num) Add(o Num) Num {
	return n.with(o, func(a, b int64) int64 { return a + b })
}

// Sub returns the difference on each architecture.
func (n Num) Sub(o Num) Num {
	return n.with(o, func(a, b int64) int64 { return a - b })
}

// Mul returns the product on each architecture.
func (n Num) Mul(by int64) Num {
	return n.with(n, func(a, _ int64) int64 { return a * by })
}

func (n Num) with(o Num, op func(a, b int64) int64) Num {
	if n.By == nil && o.By == nil {
		return N(op(n.V, o.V))
	}
	by := make(map[string]int64, len(Archs))
	for _, arch := range Archs {
		by[arch] = op(n.At(arch), o.At(arch))
	}
	return NumBy(by)
}
