// Package verbs is RDMA for Go programs: devices, registered memory, queues and completions, as rdma-core's libibverbs has them, with
// Go's manners.
//
// The generated package ibv has C's structs and constants, with their C names; this one has the handles. Two names are easily confused:
// ibv.CQ is C's struct, [CQ] is the handle. The Raw method of each handle gives the C object, for libraries that want it: only C (cgo) can
// do with it what this package does not.
//
// # Objects
//
// A [Context] is made from a [Device], and the rest from a context: protection domains ([PD]) with memory regions ([MR]) in them, completion
// queues ([CQ]), which may have a completion channel ([CompChannel]) to wait by, queue pairs ([QP]) and work queues ([WQ]).
//
// All methods of all handles may be called by several goroutines at once. Close waits for the calls under way, also of other
// goroutines, and makes later ones fail with [ErrClosed]; so do calls on nil and zero handles. Close of an object that others still need
// fails with EBUSY and names those. A second Close does nothing and succeeds, and so does Close of a nil or zero handle.
//
// Handles have to be closed. One that is collected before it was closed is a [Leak]: the object stays, with the objects that it needs and
// the memory that the device may write to, since nothing can tell that the device has ended. [OpenAttr] can have leaks reported. Goroutines of
// this package, which read a context's and a channel's events, keep no handle reachable.
//
// # Errors
//
// Errors are [*Error] values, which name the verb, the object and the errno value, with a hint at what is likely to be wrong. errors.Is finds
// errno values such as syscall.EINVAL, and [ErrNotSupported], [ErrNoLibrary], [ErrClosed], [ErrQueueFull] and [ErrCQOverrun]. A request that
// fails says so by its completion's status, which is no errno value and no error of a call: see ibv.CompletionError.
//
// # Events
//
// Asynchronous events are read and acknowledged from the time that a context is opened. [Context.AsyncEvents] tells of them.
// A CQ that overruns and a device that is lost are noticed whether or not somebody asks.
//
// # Threads
//
// Calls run on the calling goroutine's thread. [CQ.Poll] and posting return at once. Waiting costs no thread: [CQ.Wait]
// parks the goroutine. [CQ.PollSpin] keeps a processor busy on purpose.
//
// # Where it works
//
// On Linux with glibc and cgo. Elsewhere everything compiles, and calls fail with [ErrNotSupported].
package verbs
