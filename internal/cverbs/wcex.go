package cverbs

import (
	"structs"
	"unsafe"

	"github.com/goverbs/ibv"
)

// A WCEx is what PollCQEx has read of a completion, as pollex.h has it. Fields has the bits of what was read.
type WCEx struct {
	_            structs.HostLayout
	WRID         uint64
	Status       ibv.WCStatus
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
	CompletionTS uint64
	WallclockNS  uint64
	TMTag        uint64
	TMPriv       uint32
	FlowTag      uint32
	Fields       ibv.CreateCQWCFlags
	_            [4]byte
}

// OneByOne is a bit of PollCQEx's fields: each completion is a batch of its own, without ibv_next_poll.
const OneByOne ibv.CreateCQWCFlags = 1 << 31

// C asserts the same.
var (
	_ [88]byte = [unsafe.Sizeof(WCEx{})]byte{}
	_ [24]byte = [unsafe.Offsetof(WCEx{}.ImmData)]byte{}
	_ [40]byte = [unsafe.Offsetof(WCEx{}.SLID)]byte{}
	_ [46]byte = [unsafe.Offsetof(WCEx{}.CVLAN)]byte{}
	_ [64]byte = [unsafe.Offsetof(WCEx{}.TMTag)]byte{}
	_ [80]byte = [unsafe.Offsetof(WCEx{}.Fields)]byte{}
)
