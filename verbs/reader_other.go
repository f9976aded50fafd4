//go:build !linux

package verbs

import "syscall"

// An eventReader does not exist here: there are no events to be read.
type eventReader struct{}

func readEvents(fd int32, name string, take func() syscall.Errno, failed func(error)) (*eventReader, error) {
	return nil, ErrNotSupported
}

func (r *eventReader) stop() {}
