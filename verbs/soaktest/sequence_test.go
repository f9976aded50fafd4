//go:build linux && cgo

package soaktest

import (
	"fmt"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/beside"
	"github.com/goverbs/ibv/verbs"
)

// A sequence checks that completions come in order of their numbers, each once, and whole. Those that are made up have one row of numbers, which
// Numbered knows; those of QPs have two: what a has sent, and what b has received.
type sequence struct {
	a, b       uint32 // the QPs' numbers; 0 if completions are made up
	sent, came uint64 // the next numbers; of what is made up: sent
	err        error  // the first that was not so
}

// seen is how many there were.
func (s *sequence) seen() uint64 { return s.sent + s.came }

func (s *sequence) check(wc []ibv.WC) {
	if s.a != 0 {
		for i := range wc {
			s.message(&wc[i])
		}
		return
	}
	for i := range wc {
		if !beside.Numbered(&wc[i], s.sent) {
			s.wrong(wc[i], s.sent)
		}
		s.sent++
	}
}

// What message number i brings.
func length(i uint64) uint32 { return uint32(beside.HashOf(i) >> 58) }
func data(i uint64) uint32   { return uint32(beside.HashOf(i)) }

// message checks a completion of a QP.
func (s *sequence) message(wc *ibv.WC) {
	switch {
	case wc.QPNum == s.a && wc.Opcode == ibv.IBV_WC_SEND:
		if wc.WRID != s.sent || wc.Status != ibv.IBV_WC_SUCCESS {
			s.wrong(*wc, s.sent)
		}
		s.sent++
	case wc.QPNum == s.b && wc.Opcode == ibv.IBV_WC_RECV:
		if imm, ok := wc.ImmData(); wc.WRID != s.came || wc.Status != ibv.IBV_WC_SUCCESS || wc.ByteLen != length(s.came) || !ok || imm != data(s.came) {
			s.wrong(*wc, s.came)
		}
		s.came++
	default:
		s.wrong(*wc, s.sent)
	}
}

func (s *sequence) checkEx(wc []verbs.WCEx) {
	for i := range wc {
		w := &wc[i]
		opcode, known := w.Opcode()
		flags, _ := w.Flags()
		number, _ := w.QPNum()
		if s.a != 0 {
			s.messageEx(w, opcode, number)
			continue
		}
		size, _ := w.ByteLen()
		data, _ := w.ImmData()
		source, _ := w.SrcQP()
		h := beside.HashOf(s.sent)
		if w.WRID() != s.sent || w.Status() != ibv.IBV_WC_SUCCESS || !known || opcode != ibv.IBV_WC_RECV || flags != ibv.IBV_WC_WITH_IMM ||
			size != h.ByteLen() || data != ibv.Be32(h.Data()).Host() || number != h.QPNum() || source != h.SrcQP() {
			s.wrong(*w, s.sent)
		}
		s.sent++
	}
}

// messageEx is message for what an extended queue tells.
func (s *sequence) messageEx(w *verbs.WCEx, opcode ibv.WCOpcode, number uint32) {
	wc := ibv.WC{WRID: w.WRID(), Status: w.Status(), Opcode: opcode, QPNum: number}
	wc.ByteLen, _ = w.ByteLen()
	if imm, ok := w.ImmData(); ok {
		wc.WCFlags = ibv.IBV_WC_WITH_IMM
		wc.SetRawImmData(ibv.ToBe32(imm))
	}
	s.message(&wc)
}

// wrong notes the first.
func (s *sequence) wrong(wc any, number uint64) {
	if s.err == nil {
		s.err = fmt.Errorf("lost, doubled or torn: %+v in the place of number %d", wc, number)
	}
}
