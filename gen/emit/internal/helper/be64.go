package helper

import (
	"strconv"
	"unsafe"
)

// Be64 is a 64-bit number in network byte order, C's __be64: its first byte in memory is the most significant one on every
// machine. Arithmetic on it makes no sense; Host gives the number.
type Be64 uint64

// ToBe64 returns the number v, which is in the machine's byte order, in network byte order.
func ToBe64(v uint64) Be64 {
	p := [8]byte{byte(v >> 56), byte(v >> 48), byte(v >> 40), byte(v >> 32), byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}
	return *(*Be64)(unsafe.Pointer(&p))
}

// Host returns the number in the machine's byte order.
func (b Be64) Host() uint64 {
	p := (*[8]byte)(unsafe.Pointer(&b))
	return uint64(p[0])<<56 | uint64(p[1])<<48 | uint64(p[2])<<40 | uint64(p[3])<<32 |
		uint64(p[4])<<24 | uint64(p[5])<<16 | uint64(p[6])<<8 | uint64(p[7])
}

// String returns the number that Host returns, in decimal.
func (b Be64) String() string { return strconv.FormatUint(b.Host(), 10) }
