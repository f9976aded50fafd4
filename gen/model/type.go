package model

// Kind is the kind of a Type.
type Kind uint8

// The kinds of types.
const (
	Invalid Kind = iota
	Void
	Scalar   // Name is a key of Scalars: "unsigned int"
	Pointer  // to Elem
	Array    // Len times Elem
	Struct   // Name, or an unnamed Body
	Union    // Name, or an unnamed Body
	EnumRef  // Name of a tagged or typedef-named enum; an untagged enum's members are Scalars
	Function // a function; only behind a Pointer, its signature is not kept
)

// A Type is the type of a member, parameter, result or constant.
type Type struct {
	Kind    Kind
	Name    string     // tag or typedef name of a Struct, Union or EnumRef; canonical C spelling of a Scalar
	Typedef string     // the outermost typedef name through which the type was named: __be32, uint64_t, pthread_mutex_t
	Const   bool       // const-qualified
	Elem    *Type      // of a Pointer or Array
	Len     int64      // of an Array; -1: flexible
	Body    *Aggregate // of an unnamed Struct or Union
}

// ScalarInfo is what the C spelling of a scalar type means on every supported architecture (all are LP64).
type ScalarInfo struct {
	Size   int64
	Signed bool
	Float  bool // float, double, long double, complex types
	Char   bool // plain char, whose sign differs between architectures
	Bool   bool
}

// Scalars maps the canonical C spellings of scalar types.
var Scalars = map[string]ScalarInfo{
	"_Bool":                {Size: 1, Bool: true},
	"char":                 {Size: 1, Char: true},
	"signed char":          {Size: 1, Signed: true},
	"unsigned char":        {Size: 1},
	"short":                {Size: 2, Signed: true},
	"unsigned short":       {Size: 2},
	"int":                  {Size: 4, Signed: true},
	"unsigned int":         {Size: 4},
	"long":                 {Size: 8, Signed: true},
	"unsigned long":        {Size: 8},
	"long long":            {Size: 8, Signed: true},
	"unsigned long long":   {Size: 8},
	"__int128":             {Size: 16, Signed: true},
	"unsigned __int128":    {Size: 16},
	"float":                {Size: 4, Float: true, Signed: true},
	"double":               {Size: 8, Float: true, Signed: true},
	"long double":          {Size: 16, Float: true, Signed: true},
	"_Complex float":       {Size: 8, Float: true, Signed: true},
	"_Complex double":      {Size: 16, Float: true, Signed: true},
	"_Complex long double": {Size: 32, Float: true, Signed: true},
}
