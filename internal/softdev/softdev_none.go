//go:build !linux || !cgo

package softdev

import (
	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A Device would be an RDMA device. Here there can be none.
type Device struct{}

var errNone = cverbs.ErrNotHere

// New would make a device. Here the error is cverbs.ErrNotSupported, and the methods are for programs to compile.
func New(Config) (*Device, error) { return nil, errNone }

func (*Device) Close() error     { return errClosed }
func (*Device) Raw() *ibv.Device { return nil }
func (*Device) Objects() Objects { return Objects{} }
func (*Device) Orphans() Objects { return Objects{} }
func (*Device) Dropped() uint64  { return 0 }
func (*Device) Heal()            {}
func (*Device) SetPort(bool)     {}
func (*Device) Lose()            {}

func (*Device) Open() (*ibv.Context, error)                      { return nil, errNone }
func (*Device) Fail(string, Fault) error                         { return errNone }
func (*Device) Calls(string) (uint64, error)                     { return 0, errNone }
func (*Device) Complete(*ibv.CQ, *ibv.WC, bool) error            { return errNone }
func (*Device) FailNextSend(*ibv.QP, ibv.WCStatus, uint32) error { return errNone }
func (*Device) FailNextRecv(*ibv.QP, ibv.WCStatus, uint32) error { return errNone }
func (*Device) FailNextWQ(*ibv.WQ, ibv.WCStatus, uint32) error   { return errNone }
func (*Device) RaiseCQ(*ibv.CQ, ibv.EventType) error             { return errNone }
func (*Device) RaiseQP(*ibv.QP, ibv.EventType) error             { return errNone }
func (*Device) RaiseWQ(*ibv.WQ, ibv.EventType) error             { return errNone }
func (*Device) RaisePort(ibv.EventType, uint8) error             { return errNone }
func (*Device) Inject(*ibv.QP, []byte) (uint32, int, error)      { return 0, 0, errNone }
