package verbstest

import (
	"syscall"
	"time"

	"github.com/goverbs/ibv/internal/softdev"
)

// A Config says what a device is to be like. The zero value is a good one. 32-bit limits above 1<<31 - 1 are refused: attributes of devices
// cannot tell them.
//
// Memlock plays the part of RLIMIT_MEMLOCK, which it does not change: the hint of the error has the limit that the process really has.
type Config struct {
	Name          string   // 63 bytes at most; softdev0 if empty
	Less          uintptr  // contexts are so many bytes shorter at their front, as those of an older library
	Absent        []string // verbs that the device does not have, by their C names, such as ibv_create_wq
	MaxQPWR       uint32   // work requests in a queue; 16384 if 0
	MaxSGE        uint32   // elements of a request; 16 if 0
	MaxCQE        uint32   // entries of a completion queue; 1 << 20 if 0
	MaxInlineData uint32   // bytes; 256 if 0
	MaxWQ         uint32   // work queues; 4096 if 0
	MaxMRSize     uint64   // bytes; 1 << 40 if 0
	Memlock       uint64   // the sum of the lengths, in bytes, of what is registered at one time, beyond which it is ENOMEM; no limit if 0
	RawPacketCaps uint32   // bits of ibv.RawPacketCaps; all of them if 0
	NoRawPacket   bool     // none of them
	LastNotify    bool     // a queue goes by the last ibv_req_notify_cq, and forgets that any completion was asked for, as some hardware does
	Exact         bool     // queues have the sizes that were asked for; else they are rounded up to powers of two, and SGEs to 4 at least
}

// A Fault happens in calls of a verb. With an Errno, a Value or NoErrno the calls fail: they do nothing but return. Else they only
// take longer.
type Fault struct {
	Skip    uint64        // calls that pass before
	Times   uint64        // calls in which it happens; 0 is one
	Delay   time.Duration // before each of them goes on or fails
	Errno   syscall.Errno // what errno is set to
	Value   int           // what a verb that returns a number returns; 0: what it reports Errno by, as most providers do
	NoErrno bool          // fail with errno 0, as some providers do
}

// Objects counts objects by their kind.
type Objects struct {
	Contexts, PDs, MRs, CompChannels, CQs, QPs, WQs, RWQIndTables int
}

// Total returns how many there are of all kinds.
func (o Objects) Total() int { return softdev.Objects(o).Total() }

// String lists those that there are: "1 context, 2 PDs".
func (o Objects) String() string { return softdev.Objects(o).String() }
