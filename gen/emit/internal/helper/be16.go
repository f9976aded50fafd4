// Package helper holds the source of the declarations that generated packages bring along. It is embedded by emit, which
// copies the files that a package needs; here it compiles and is tested by itself.
package helper

import (
	"strconv"
	"unsafe"
)

// Be16 is a 16-bit number in network byte order, C's __be16: its first byte in memory is the most significant one on every
// machine. Arithmetic on it makes no sense; Host gives the number.
type Be16 uint16

// ToBe16 returns the number v, which is in the machine's byte order, in network byte order.
func ToBe16(v uint16) Be16 {
	p := [2]byte{byte(v >> 8), byte(v)}
	return *(*Be16)(unsafe.Pointer(&p))
}

// Host returns the number in the machine's byte order.
func (b Be16) Host() uint16 {
	p := (*[2]byte)(unsafe.Pointer(&b))
	return uint16(p[0])<<8 | uint16(p[1])
}

// String returns the number that Host returns, in decimal.
func (b Be16) String() string { return strconv.FormatUint(uint64(b.Host()), 10) }
