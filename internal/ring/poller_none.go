//go:build !linux || !cgo

package ring

import (
	"context"
	"errors"
	"unsafe"
)

// A Poller would be a thread that polls. Here there can be none.
type Poller struct{}

// Start would start it.
func Start(*Ring, Config) (*Poller, error) { return nil, errors.ErrUnsupported }

func (*Poller) Stop()                            {}
func (*Poller) Stopped() bool                    { return true }
func (*Poller) Add(uint64, unsafe.Pointer) error { return errors.ErrUnsupported }
func (*Poller) Remove(uint64)                    {}
func (*Poller) Flush()                           {}
func (*Poller) Overran(uint64)                   {}
func (*Poller) Wake()                            {}
func (*Poller) News() News                       { return News{} }
func (*Poller) Stats() Stats                     { return Stats{} }
func (*Poller) Park(context.Context)             {}
