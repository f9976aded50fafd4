//go:build linux && cgo

package beside

// #include "numbered.h"
import "C"

import (
	"unsafe"

	"github.com/goverbs/ibv"
)

// Number makes polls of all queues of a context return as many completions as they like, none at times, numbered from 0 on. All fields of one
// are made of its number, which is its WRID: see [Numbered]. One goroutine at a time may poll, one queue. The context stays so, and only one of
// the process can be so at a time. How many a poll returns follows from the seed.
func Number(c *ibv.Context, seed uint64) {
	C.beside_number((*C.struct_ibv_context)(unsafe.Pointer(c)), C.uint64_t(seed))
}

// NumberEx does the same to an extended queue, and to that alone.
func NumberEx(cq *ibv.CQEx, seed uint64) {
	C.beside_number_ex((*C.struct_ibv_cq_ex)(unsafe.Pointer(cq)), C.uint64_t(seed))
}

// EndNumbers makes polls from now on return nothing. Any goroutine may call it.
func EndNumbers() { C.beside_numbers_end() }

// Numbers returns how many completions there were; nobody polls.
func Numbers() uint64 { return uint64(C.beside_numbers()) }

// A Hash is what the fields of a numbered completion are parts of.
type Hash uint64

// HashOf is a number's.
func HashOf(number uint64) Hash { return Hash(number * 0x9e3779b97f4a7c15) }

// Numbered reports whether a completion is whole, and the one of that number.
func Numbered(wc *ibv.WC, number uint64) bool {
	h := HashOf(number)
	return wc.WRID == number && wc.Status == ibv.IBV_WC_SUCCESS && wc.Opcode == ibv.IBV_WC_RECV && wc.VendorErr == uint32(h>>16) &&
		wc.ByteLen == h.ByteLen() && wc.RawInvalidatedRKey() == h.Data() && wc.QPNum == h.QPNum() && wc.SrcQP == h.SrcQP() &&
		wc.WCFlags == ibv.IBV_WC_WITH_IMM && wc.PKeyIndex == uint16(h>>48) && wc.SLID == uint16(h>>8) && wc.SL == uint8(h>>24) &&
		wc.DLIDPathBits == uint8(h>>40)
}

// ByteLen, Data, QPNum and SrcQP are what extended queues can tell as well; Data is the immediate data, as it lies in memory.
func (h Hash) ByteLen() uint32 { return uint32(h) }
func (h Hash) Data() uint32    { return uint32(h >> 32) }
func (h Hash) QPNum() uint32   { return uint32(^h) }
func (h Hash) SrcQP() uint32   { return uint32(^h >> 32) }
