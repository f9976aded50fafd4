package cverbs

import (
	"structs"
	"unsafe"

	"github.com/goverbs/ibv"
)

// A WCEx is what PollCQEx has read of a completion, as pollex.h has it. Fields has the bits of what was read. Opcode, WCFlags, ByteLen and QPNum are 0 if
// they were not; of the others nothing is to be relied on then.
type WCEx struct {
	_            structs.HostLayout
	WRID         uint64
	Status       ibv.WCStatus
	Fields       ibv.CreateCQWCFlags
	Opcode       ibv.WCOpcode
	VendorErr    uint32
	ByteLen      uint32
	ImmData      uint32 // in network order, as it came; or the key that was invalidated
	QPNum        uint32
	SrcQP        uint32
	WCFlags      ibv.WCFlags
	SLID         uint32
	SL           uint8
	DLIDPathBits uint8
	CVLAN        uint16
	FlowTag      uint32
	CompletionTS uint64
	WallclockNS  uint64
	TMTag        uint64
	TMPriv       uint32
	_            [4]byte
}

// OneByOne is a bit of PollCQEx's fields: each completion is a batch of its own, without ibv_next_poll.
const OneByOne ibv.CreateCQWCFlags = 1 << 31

// C asserts the same.
var (
	_ [88]byte = [unsafe.Sizeof(WCEx{})]byte{}
	_ [12]byte = [unsafe.Offsetof(WCEx{}.Fields)]byte{}
	_ [28]byte = [unsafe.Offsetof(WCEx{}.ImmData)]byte{}
	_ [44]byte = [unsafe.Offsetof(WCEx{}.SLID)]byte{}
	_ [50]byte = [unsafe.Offsetof(WCEx{}.CVLAN)]byte{}
	_ [56]byte = [unsafe.Offsetof(WCEx{}.CompletionTS)]byte{}
	_ [80]byte = [unsafe.Offsetof(WCEx{}.TMPriv)]byte{}
)
