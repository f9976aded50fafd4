package verbs

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
)

// pollable is a duplicate of a descriptor of the library's in Go's poller, which stays what it is when the library closes its own. Both
// share one open file, so that the library's own descriptor does not block any more either: taking an event that is not there is EAGAIN.
func pollable(fd int32, name string) (*os.File, syscall.RawConn, error) {
	dup, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, 0)
	if errno != 0 {
		return nil, nil, os.NewSyscallError("fcntl", errno)
	}
	if err := setNonblock(int32(dup)); err != nil {
		syscall.Close(int(dup))
		return nil, nil, err
	}
	file := os.NewFile(dup, name)
	conn, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, conn, nil
}

// setNonblock has reads of a descriptor not wait.
func setNonblock(fd int32) error {
	return os.NewSyscallError("fcntl", syscall.SetNonblock(int(fd), true))
}

// An eventReader is a goroutine that takes events from a descriptor of the library's as soon as they come.
//
// The goroutine has what take and failed refer to, and runs until stop: neither may refer to a handle, which would never be noticed as
// lost then.
type eventReader struct {
	file     *os.File
	stopping atomic.Bool
	done     chan struct{} // closed when the goroutine has ended
}

// readEvents starts a reader. take takes one event, or returns EAGAIN if there is none; it is called by the goroutine only. If it fails
// otherwise, or the descriptor can no longer be waited for, failed is called with the reason, and the goroutine ends.
func readEvents(fd int32, name string, take func() syscall.Errno, failed func(error)) (*eventReader, error) {
	file, conn, err := pollable(fd, name)
	if err != nil {
		return nil, err
	}
	r := &eventReader{file: file, done: make(chan struct{})}
	go r.run(conn, take, failed)
	return r, nil
}

func (r *eventReader) run(conn syscall.RawConn, take func() syscall.Errno, failed func(error)) {
	defer close(r.done)
	var errno syscall.Errno
	// The poller tells of changes, not of what there is: each time, everything is taken.
	err := conn.Read(func(uintptr) bool {
		for !r.stopping.Load() {
			if errno = take(); errno != 0 && errno != syscall.EINTR {
				return errno != syscall.EAGAIN
			}
		}
		return true
	})
	switch {
	case r.stopping.Load(), errors.Is(err, os.ErrClosed):
	case err != nil:
		failed(err)
	default:
		failed(errno)
	}
}

// stop ends the goroutine and waits for it. Events that it has not taken stay where they are.
func (r *eventReader) stop() {
	r.stopping.Store(true)
	r.file.Close()
	<-r.done
}
