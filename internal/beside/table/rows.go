package main

// A row is a line of the table: a benchmark, what it measures, and what is aimed at.
type row struct {
	bench string // its name, without Benchmark
	group string
	work  string
	aim   aim
}

// rows is the whole table, in its order.
var rows = []row{
	{"Poll/completions=0", "CQ.Poll", "empty", addedAtMost(45)},
	{"Poll/completions=1", "CQ.Poll", "1 completion", aim{}},
	{"Poll/completions=16", "CQ.Poll", "16 completions", aim{}},
	{"Poll/completions=64", "CQ.Poll", "64 completions", aim{}},
	{"PollShared/completions=16", "CQ.Poll", "16, of a CQ of several queues", aim{}},
	{"DirectPoll/completions=0", "DirectCQ.Poll", "empty", addedAtMost(3)},
	{"DirectPoll/completions=1", "DirectCQ.Poll", "1 completion", aim{}},
	{"DirectPoll/completions=16", "DirectCQ.Poll", "16 completions", timesC(1.25)},
	{"DirectPoll/completions=64", "DirectCQ.Poll", "64 completions", aim{}},
	{"PollExtended/completions=0", "CQEx.Poll", "empty", aim{}},
	{"PollExtended/completions=1", "CQEx.Poll", "1 completion, 4 fields", aim{}},
	{"PollExtended/completions=16", "CQEx.Poll", "16 completions, 4 fields", addedAtMost(60)},
	{"PollSpin", "CQ.PollSpin", "a probe that finds nothing", timesC(1.2)},
	{"RingEmpty/Empty", "Ring", "Empty, of an empty one", atMost(1.5)},
	{"RingEmpty/Next", "Ring", "Next, of an empty one", aim{}},
	{"RingHandOver/batch=1", "Ring", "hand over and consume, singly", timesC(1.3)},
	{"RingHandOver/batch=16", "Ring", "the same, 16 at a time", timesC(1.3)},
	{"RingHandOver/batch=64", "Ring", "the same, 64 at a time", timesC(1.3)},
	{"PostSend/chain=1", "QP.PostSend", "1 request", aim{}},
	{"PostSend/chain=16", "QP.PostSend", "chain of 16", aim{}},
	{"DirectPost/chain=1", "DirectSend.Post", "1 request", addedAtMost(5)},
	{"DirectPost/chain=16", "DirectSend.Post", "chain of 16", timesC(1.2)},
	{"PostBuilt/batch=1", "QP.PostSend, ibv_wr_*", "batch of 1", aim{}},
	{"PostBuilt/batch=16", "QP.PostSend, ibv_wr_*", "batch of 16", aim{}},
	{"PingPong/direct", "ping-pong", "a round, direct", addedAtMost(25)},
	{"PingPong/cgo", "ping-pong", "a round, cgo", addedAtMost(180)},
	{"PingPong/bare", "ping-pong", "a round, bare cgo calls", aim{}},
	{"WakeUp", "CQ.Wait", "woken up", timesEventfd(1.2)},
	{"PollSpinUnderLoad", "CQ.PollSpin", "returns under load, budget 10 µs", aim{}},
}

// An aim is the most that a figure is to be; none if text is empty.
type aim struct {
	text string
	met  func(Figure) bool
}

func addedAtMost(ns float64) aim {
	return aim{"C + " + number(ns), func(f Figure) bool { return f.Added <= ns }}
}

func timesC(k float64) aim {
	return aim{number(k) + " × C", func(f Figure) bool { return f.Ratio <= k }}
}

func atMost(ns float64) aim {
	return aim{number(ns), func(f Figure) bool { return f.Go <= ns }}
}

func timesEventfd(k float64) aim {
	return aim{number(k) + " × eventfd", func(f Figure) bool { return f.Times <= k }}
}
