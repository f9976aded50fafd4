package helper

import (
	"strconv"
	"unsafe"
)

// Be32 is a 32-bit number in network byte order, C's __be32: its first byte in memory is the most significant one on every
// machine. Arithmetic on it makes no sense; Host gives the number.
type Be32 uint32

// ToBe32 returns the number v, which is in the machine's byte order, in network byte order.
func ToBe32(v uint32) Be32 {
	p := [4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}
	return *(*Be32)(unsafe.Pointer(&p))
}

// Host returns the number in the machine's byte order.
func (b Be32) Host() uint32 {
	p := (*[4]byte)(unsafe.Pointer(&b))
	return uint32(p[0])<<24 | uint32(p[1])<<16 | uint32(p[2])<<8 | uint32(p[3])
}

// String returns the number that Host returns, in decimal.
func (b Be32) String() string { return strconv.FormatUint(uint64(b.Host()), 10) }
