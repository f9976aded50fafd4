// Package ring has completions pass from a thread that is not Go's to Go, without calls: a ring in memory, of which the thread is the only
// producer and a goroutine the only consumer, and that thread, which polls completion queues into it.
//
// ring.h describes the memory, and what the producer does with it; [Ring] is the consumer's side, and plain Go. poller.h is the thread; [Poller]
// is how Go has it do something. Which functions it calls it is told, so that nothing here includes verbs.h.
package ring
