package plan

// An Accessor is a member that cannot be a Go field, reached by methods: a getter and, if Set, a setter.
type Accessor struct {
	Go     string // getter's name; the setter's is Set before it
	C      string // member
	CType  string // C type
	Doc    []string
	SetDoc []string

	Form    Form
	Set     bool
	Type    GoType // of the value; of an element for Tail
	Storage string // field of the receiver that holds it
	Bytes   bool   // Storage is an array of Size bytes
	Size    int64  // bytes

	// Via is the hidden struct type that lies over Storage, for a member of an unnamed struct in a union; Inner is the
	// field of Via or, for Form Inner, its getter.
	Via, Inner string

	Bits Bits // for form BitField

	// Places are the constants by which the methods find the member: the offset of a flexible array without Storage,
	// or the position and width of a bit-field.
	Places []Place
}

// A Form is the way an Accessor reaches its member.
type Form uint8

// The forms.
const (
	Value     Form = iota // read and written in place
	Copied                // byte by byte, because it is misaligned for Go
	InPlace               // a pointer to the member is handed out
	BitField              // part of bytes
	Tail                  // a flexible array: the caller says how many elements there are
	Inner                 // by the accessor of the hidden type Via
	InnerTail             // a flexible array in the hidden type Via
)

// A Place is a constant that places a member.
type Place struct {
	Const string
	Value int64
}

// Bits places a bit-field in its storage.
type Bits struct {
	Pos    int64 // from the first byte of the storage, in the machine's order of filling
	Width  int
	Signed bool
	Bool   bool
}
