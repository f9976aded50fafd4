package ring

import (
	"time"
	"unsafe"
)

// A Config says what a poller's thread is to be like.
type Config struct {
	Poll, Arm, Take, Ack unsafe.Pointer // C functions, as struct ibvgo_poller_ops has them
	Channel              unsafe.Pointer // nil: the thread never sleeps
	ChannelFD            int32          // does not block
	CPU                  int            // that it runs on; negative: any
	Spin                 time.Duration  // how long it goes on polling when nothing comes
}

// A Kind is what there may be to be told besides completions.
type Kind int32

// As enum ibvgo_news_kind has them.
const (
	None    Kind = iota
	Later        // there is something, but completions come first
	Poll         // polling a queue has returned Value
	Arm          // arming a queue has returned Value
	Overrun      // a queue has overrun, and is empty
	Channel      // taking an event has returned Value
)

// News is one thing that there is to be told of a queue.
type News struct {
	Kind  Kind
	ID    uint64
	Value int
}

// Stats counts what the thread has done.
type Stats struct {
	Stalls, Full, Sleeps, Wakes uint64
}
