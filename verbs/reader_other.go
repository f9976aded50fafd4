//go:build !linux

package verbs

import (
	"os"
	"syscall"
)

func pollable(fd int32, name string) (*os.File, syscall.RawConn, error) {
	return nil, nil, ErrNotSupported
}

func setNonblock(fd int32) error { return ErrNotSupported }

// An eventReader does not exist here: there are no events to be read.
type eventReader struct{}

func readEvents(fd int32, name string, take func() syscall.Errno, failed func(error)) (*eventReader, error) {
	return nil, ErrNotSupported
}

func (r *eventReader) stop() {}
