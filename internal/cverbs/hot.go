package cverbs

import "syscall"

// Calls that programs make for each message return a plain errno value, so that a failure costs no more than a success: an empty
// queue is ENOENT to some of them.

// Failed makes the error that the other calls return of an errno value that v has returned; nil for 0.
func (v Verb) Failed(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return failure(v, int64(errno))
}

// Polled is what PollCQ makes of the result of ibv_poll_cq, for those who have called that past it.
func Polled(r int, numEntries int32) (int, error) {
	switch {
	case r < 0:
		return 0, negativeError(VerbPollCQ, r)
	case r > int(numEntries):
		// No count: providers without the function answer with a positive errno value.
		return 0, errnoError(VerbPollCQ, r)
	}
	return r, nil
}

// polledEx is what PollCQEx makes of a number of completions, and of what has ended the batch.
func polledEx(got, failure int) (int, error) {
	switch {
	case failure == 0:
		return got, nil
	case got == 0:
		return 0, errnoError(VerbStartPoll, failure)
	}
	return got, errnoError(VerbNextPoll, failure)
}

// Posted is what PostSend and PostRecv make of the results of their verbs, for those who have called these past them.
func Posted(r int) syscall.Errno { return plainErrno(r) }

// plainErrno is for functions that return the errno value, or its negative. What is none becomes EIO.
func plainErrno(r int) syscall.Errno {
	a := max(r, -r)
	if a < 0 || a > maxErrno {
		return plainRefusal(a)
	}
	return syscall.Errno(a)
}

func plainRefusal(a int) syscall.Errno {
	switch a {
	case noLibrary, noSymbol:
		return syscall.ENOSYS
	case noOperation:
		return syscall.EOPNOTSUPP
	}
	return syscall.EIO
}
