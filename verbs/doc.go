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
// queues ([CQ], [CQEx]), which may have a completion channel ([CompChannel]) to wait by or a [Ring] that polls them, queue pairs ([QP]) and work queues ([WQ]).
//
// All methods of all handles may be called by several goroutines at once. Close waits for the calls under way, also of other
// goroutines, and makes later ones fail with [ErrClosed]; so do calls on nil and zero handles. Close of an object that others still need
// fails with EBUSY and names those. A second Close does nothing and succeeds, and so does Close of a nil or zero handle.
//
// Handles have to be closed. One that is collected before it was closed is a [Leak]: the object stays, with the objects that it needs and
// the memory that the device may write to, since nothing can tell that the device has ended. [OpenAttr] can have leaks reported. The goroutine
// that reads a context's events keeps no handle reachable.
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
// Calls run on the calling goroutine's thread. [CQ.Poll] and posting return at once; the handles that [CQ.Direct] and its like make do so sooner. Waiting costs no
// thread: [CQ.Wait] parks the goroutine. [CQ.PollSpin] keeps a processor busy on purpose. A [Ring] has a thread of its own, which Go's collector
// never stops and which keeps a processor busy while there is traffic.
//
// # Direct calls
//
// A call of C through cgo costs some 30 ns, most of it for telling the scheduler, which a poll of an empty queue does not need. [CQ.Direct],
// [QP.DirectSend] and [QP.DirectRecv] make handles whose calls go to the provider's own poll_cq, post_send and post_recv by a few
// instructions of assembly, on a stack of the handle's, in a few nanoseconds beyond what C needs. Results, errors and the
// accounting of send queues are those of Poll, PostSend and PostRecv, which others may use beside.
//
// A handle is for one goroutine at a time. That is the caller's part: two at once would run on one stack. With IBV_DIRECT=check in the
// environment, or [DirectAttr], they are an error. Everything else is taken care of: queues and handles may be closed, and QPs reset, by
// anybody at any time, and who uses them directly finds [ErrClosed]; collections, growing stacks, profiles and signals go on
// beside. Why that is sound is said in this module's package internal/direct.
//
// What it costs: the goroutine cannot be stopped in a direct call, so a collection waits for that to return, and with it everybody who
// has to wait for the collection. If a provider takes three seconds for a poll, so does the collector, where it would take less than
// five milliseconds if the poll went by cgo. Hence direct calls are made only to providers that are known to return at once: mlx5, mlx4, efa,
// irdma, rxe and siw, but for sends of the last two, which enter the kernel; and the software device. They are not if one of mlx5's
// environment variables asks for the contrary when the context is opened: MLX5_STALL_CQ_POLL, MLX5_STALL_NUM_LOOP, MLX5_FREEZE_ON_ERROR_CQE or
// MLX5_DEBUG_FILE, with anything but 0. A thread that loses its processor within a call, on a machine with less of them than busy
// threads, is a stall, too.
//
// Where no direct call can be made, the same handle goes by cgo, and its Reason method says why: for other providers, on other
// architectures than amd64 and arm64, under the race detector and the sanitizers, without membarrier(2) in the kernel, or with IBV_DIRECT=off in the
// environment. Closing and resetting queues with direct handles takes some microseconds longer, and so do posts beside a
// direct poster.
//
// A fault in the provider, in a direct call, ends the program with "traceback: unexpected SPWRITE function
// github.com/goverbs/ibv/internal/direct.Poll", or Post or call, since Go cannot look through the provider's stack, and with IBV_DIRECT=off it shows what
// cgo shows. A provider that needs more than 256 KiB of stack ends it as well, likely without a word.
//
// They are not for goroutines that poll now and then, nor for waiting: [CQ.Wait] costs no processor; and not for devices whose provider
// has been replaced by one that does something else.
//
// # Where it works
//
// On Linux with glibc and cgo. Elsewhere everything compiles, and calls fail with [ErrNotSupported].
package verbs
