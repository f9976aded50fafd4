package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/goverbs/ibv/gen/plan"
)

// bitBytes is the storage of a bit-field as a slice of bytes.
func bitBytes(a plan.Accessor) *jen.Statement {
	if a.Bytes {
		return jen.Id("s").Dot(a.Storage).Index(jen.Op(":"))
	}
	return cast(jen.Index(jen.Lit(int(a.Size))).Byte(), address(a)).Index(jen.Op(":"))
}

// bitPlace is the constants that place a bit-field.
func bitPlace(a plan.Accessor) (pos, width *jen.Statement) {
	return jen.Id(a.Places[0].Const), jen.Id(a.Places[1].Const)
}

// bitValue reads a bit-field.
func bitValue(a plan.Accessor) *jen.Statement {
	pos, width := bitPlace(a)
	v := jen.Id("loadBits").Call(bitBytes(a), pos, width, jen.Id("bigEndian"))
	switch {
	case a.Bits.Bool:
		return v.Op("!=").Lit(0)
	case a.Bits.Signed:
		return goType(a.Type).Call(jen.Id("signBits").Call(v, width))
	}
	return goType(a.Type).Call(v)
}

// setBits writes a bit-field.
func setBits(a plan.Accessor) []jen.Code {
	store := func(v *jen.Statement) jen.Code {
		pos, width := bitPlace(a)
		return jen.Id("storeBits").Call(bitBytes(a), pos, width, v, jen.Id("bigEndian"))
	}
	if !a.Bits.Bool {
		return []jen.Code{store(jen.Uint64().Call(jen.Id("v")))}
	}
	return []jen.Code{
		jen.Var().Id("bit").Uint64(),
		jen.If(jen.Id("v")).Block(jen.Id("bit").Op("=").Lit(1)),
		store(jen.Id("bit")),
	}
}
