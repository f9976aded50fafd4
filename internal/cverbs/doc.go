// Package cverbs makes every function, static inline and function-like macro of rdma-core's infiniband/verbs.h callable from
// Go. It is the only package that includes that header, and its Go types are those of the root package.
//
// Building it needs rdma-core's headers, of any release from 33 on. Running needs nothing: no binary is linked against
// libibverbs. Exported functions are called through stubs in C, which look for
//
//   - a provider in this process to which the object belongs: see [Register];
//   - else the function in libibverbs.so.1, which is loaded by the first call that needs it: see [SetLibrary] and [Load];
//   - else they fail in the verb's own way, and the Go call's error says what was wanted.
//
// The header's inlines and macros are called as the header being built with has them, and reach the same stubs. Those that are
// newer than the oldest recorded release are made from the ABI records instead.
//
// # Errors
//
// A call returns an [*Error] for a failure, in whichever way the function reports it: NULL, -1, a negative or positive errno
// value. errors.Is finds the errno value in it, [ErrNotSupported] (also as [errors.ErrUnsupported]) and [ErrNoLibrary]. Two kinds
// of calls differ: those that programs make for each message and that return an errno value return a plain [syscall.Errno], 0 for
// success, of which [Verb.Failed] makes an *Error; and those that cannot fail in C, such as those that return a text, have no error
// and return zero where there is nothing to call.
//
// # Memory
//
// C memory and Go memory may both be passed, but what C reads through a pointer in the arguments has to be C memory or pinned, as
// cgo demands. [PollWithin] and its like are arguments in this sense: what they point to themselves may be Go memory. Calls make no garbage of their own when they succeed. What a pointer argument leads to is on the heap, however, as
// with all cgo calls that may call back: a local variable for a result costs an allocation, one that is used again does not. Poll,
// post and notify, which may not call back, take local variables for nothing.
//
// # Where it works
//
// On Linux with glibc and cgo, in programs that are not linked statically, on the architectures of the root package. Without cgo or
// glibc, and on other systems, everything compiles there with the same names and answers ErrNotSupported.
//
// # Files
//
// Files named *_generated.* come from 'verbsgen generate'. The others are the library's loader, the registry of providers, and what
// saves calls, garbage or locked instructions where programs are in a hurry: [SpinCQ] polls for a while within one call, [PollCQEx] takes a batch
// out of an extended queue, [PollWithin] and [PollExWithin] poll within a [Turnstile], [SendPost] and [RecvPost] post in less time, [WRBatch] builds
// and posts a batch, and [TakeCQEvent] and [TakeAsyncEvent] tell without an error value that there is no event. The build tag ibvcount makes the
// stubs and thunks count their calls; see [Counts].
package cverbs
