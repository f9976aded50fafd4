//go:build linux && cgo

package kerneltest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

// A thousand connections are opened, used and closed, some at the same time.
func TestThousandConnections(t *testing.T) {
	const goroutines, each = 4, 250
	pd := closing(t, must(open(t).AllocPD()))
	start := time.Now()
	ended := make(chan error, goroutines)
	for range goroutines {
		go func() {
			for i := range each {
				if err := openAndClose(pd); err != nil {
					ended <- fmt.Errorf("connection %d: %w", i, err)
					return
				}
			}
			ended <- nil
		}()
	}
	for range goroutines {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Log(goroutines*each, "connections in", time.Since(start).Round(time.Millisecond))
}

// openAndClose makes two QPs, which pass a message, and closes all that it has made.
func openAndClose(pd *verbs.PD) (err error) {
	var opened []interface{ Close() error }
	defer func() {
		for i := len(opened) - 1; i >= 0; i-- {
			err = errors.Join(err, opened[i].Close())
		}
	}()
	mr, err := pd.AllocMR(64, anyAccess)
	if err != nil {
		return err
	}
	opened = append(opened, mr)
	ch, err := pd.Context().CreateCompChannel()
	if err != nil {
		return err
	}
	opened = append(opened, ch)
	cq, err := pd.Context().CreateCQ(verbs.CQAttr{CQE: 4, Channel: ch})
	if err != nil {
		return err
	}
	opened = append(opened, cq)
	var q [2]*verbs.QP
	for i := range q {
		if q[i], err = pd.CreateQP(verbs.QPAttr{SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1}); err != nil {
			return err
		}
		opened = append(opened, q[i])
	}
	return pass(q[0], q[1], mr, cq)
}

// pass connects two QPs and passes one message.
func pass(from, to *verbs.QP, mr *verbs.MR, cq *verbs.CQ) error {
	attr := patient(verbs.ConnectAttr{})
	if err := errors.Join(from.Init(attr), to.Init(attr)); err != nil {
		return err
	}
	for _, q := range [][2]*verbs.QP{{from, to}, {to, from}} {
		remote, err := q[1].Endpoint()
		if err != nil {
			return err
		}
		if err := q[0].Connect(remote, attr); err != nil {
			return err
		}
	}
	l := []ibv.SGE{mr.All()}
	if err := to.Recv(verbs.RecvWR{SGList: l}); err != nil {
		return err
	}
	if err := from.Send(verbs.SendWR{Opcode: ibv.IBV_WR_SEND, SGList: l, Flags: ibv.IBV_SEND_SIGNALED}); err != nil {
		return err
	}
	return errors.Join(succeeded(cq), succeeded(cq))
}

// succeeded waits for a completion, which has to be a success.
func succeeded(cq *verbs.CQ) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	wc := make([]ibv.WC, 1)
	if _, err := cq.Wait(ctx, wc); err != nil {
		return err
	}
	return wc[0].Err()
}
