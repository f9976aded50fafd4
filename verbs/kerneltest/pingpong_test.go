//go:build linux && cgo

package kerneltest

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

const half = 4096 // bytes; several packets

// next takes one completion, which has to be a success.
func (s *side) next(take func(*verbs.CQ, []ibv.WC) (int, error)) (ibv.WC, error) {
	wc := make([]ibv.WC, 1)
	n, err := take(s.rcq, wc)
	if err == nil && n != 1 {
		err = fmt.Errorf("%d completions on %v", n, s.rcq)
	}
	if err == nil {
		err = wc[0].Err()
	}
	return wc[0], err
}

// send sends a message with a number from one side to the other, and looks at both completions and what has arrived.
func send(from, to *side, number uint32, take func(*verbs.CQ, []ibv.WC) (int, error)) error {
	message := bytes.Repeat(fmt.Appendf(nil, "message %d\n", number), half)[:half-int(number)]
	copy(from.mr.Bytes()[half:], message)
	in, out := must(to.mr.SGE(0, half)), must(from.mr.SGE(half, len(message)))
	if err := to.qp.Recv(verbs.RecvWR{WRID: uint64(number), SGList: []ibv.SGE{in}}); err != nil {
		return err
	}
	err := from.qp.Send(verbs.SendWR{
		WRID: 1<<63 | uint64(number), Opcode: ibv.IBV_WR_SEND_WITH_IMM, ImmData: number, Flags: ibv.IBV_SEND_SIGNALED, SGList: []ibv.SGE{out},
	})
	if err != nil {
		return err
	}
	wc, err := to.next(take)
	if err != nil {
		return fmt.Errorf("receive %d: %w", number, err)
	}
	if imm, ok := wc.ImmData(); wc.WRID != uint64(number) || wc.Opcode != ibv.IBV_WC_RECV || !ok || imm != number || int(wc.ByteLen) != len(message) || wc.QPNum != to.qp.Num() {
		return fmt.Errorf("receive %d: %+v", number, wc)
	}
	if got := to.mr.Bytes()[:len(message)]; !bytes.Equal(got, message) {
		return fmt.Errorf("message %d came as %.40q...", number, got)
	}
	wc, err = from.next(take)
	if err != nil {
		return fmt.Errorf("send %d: %w", number, err)
	}
	if wc.WRID != 1<<63|uint64(number) || wc.Opcode != ibv.IBV_WC_SEND || wc.QPNum != from.qp.Num() {
		return fmt.Errorf("send %d: %+v", number, wc)
	}
	return nil
}

func pingPong(t *testing.T, a, b *side, take func(*verbs.CQ, []ibv.WC) (int, error)) {
	t.Helper()
	for i := range uint32(200) {
		if err := send(a, b, 2*i, take); err != nil {
			t.Fatal(err)
		}
		if err := send(b, a, 2*i+1, take); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPingPongPolling(t *testing.T) {
	a, b := connected(t, setup{oneCQ: true})
	pingPong(t, a, b, func(cq *verbs.CQ, wc []ibv.WC) (int, error) {
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
			if n, err := cq.Poll(wc); n != 0 || err != nil {
				return n, err
			}
		}
		return 0, nil
	})
}

func TestPingPongWaiting(t *testing.T) {
	a, b := connected(t, setup{oneCQ: true, channels: true})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	pingPong(t, a, b, func(cq *verbs.CQ, wc []ibv.WC) (int, error) { return cq.Wait(ctx, wc) })
}
