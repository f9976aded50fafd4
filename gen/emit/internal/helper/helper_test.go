package helper

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// reference reads a bit-field bit by bit: from the least significant bit of each byte, or from the most significant one.
func reference(b []byte, pos, width int, bigEndian bool) (v uint64) {
	for i := range width {
		p := pos + i
		if bigEndian {
			v = v<<1 | uint64(b[p/8]>>(7-p%8)&1)
		} else {
			v |= uint64(b[p/8]>>(p%8)&1) << i
		}
	}
	return v
}

func TestBits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		b := make([]byte, 12)
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		width := 1 + rnd.IntN(64)
		pos := rnd.IntN(len(b)*8 - width + 1)
		big := rnd.IntN(2) == 1
		if got, want := loadBits(b, pos, width, big), reference(b, pos, width, big); got != want {
			t.Fatalf("%x: bits %d+%d, big endian %v: %#x, want %#x", b, pos, width, big, got, want)
		}
		after := append([]byte(nil), b...)
		v := rnd.Uint64()
		storeBits(after, pos, width, v, big)
		if got, want := reference(after, pos, width, big), v&(1<<width-1); got != want {
			t.Fatalf("bits %d+%d, big endian %v: stored %#x, found %#x", pos, width, big, want, got)
		}
		for i := range len(b) * 8 {
			if (i < pos || i >= pos+width) && reference(b, i, 1, big) != reference(after, i, 1, big) {
				t.Fatalf("storing bits %d+%d, big endian %v, changed bit %d", pos, width, big, i)
			}
		}
	}
}

// TestBitsOfGCC has bytes that gcc made for amd64 and s390x of
// struct { unsigned short a:10, b:2, c:2, d:2; int e:11; } = {0x2a5, 2, 1, 3, -700}.
func TestBitsOfGCC(t *testing.T) {
	for _, tt := range []struct {
		b   []byte
		big bool
	}{
		{[]byte{0xa5, 0xda, 0x44, 0x05}, false},
		{[]byte{0xa9, 0x67, 0xa8, 0x80}, true},
	} {
		got := fmt.Sprint(loadBits(tt.b, 0, 10, tt.big), loadBits(tt.b, 10, 2, tt.big), loadBits(tt.b, 12, 2, tt.big),
			loadBits(tt.b, 14, 2, tt.big), signBits(loadBits(tt.b, 16, 11, tt.big), 11))
		if want := "677 2 1 3 -700"; got != want {
			t.Errorf("big endian %v: %s, want %s", tt.big, got, want)
		}
		b := make([]byte, len(tt.b))
		storeBits(b, 0, 10, 0x2a5, tt.big)
		storeBits(b, 10, 2, 2, tt.big)
		storeBits(b, 12, 2, 1, tt.big)
		storeBits(b, 14, 2, 3, tt.big)
		e := int32(-700)
		storeBits(b, 16, 11, uint64(e), tt.big)
		if string(b) != string(tt.b) {
			t.Errorf("big endian %v: %x, want %x", tt.big, b, tt.b)
		}
	}
}

func TestSignBits(t *testing.T) {
	for _, tt := range []struct {
		v     uint64
		width int
		want  int64
	}{{0, 1, 0}, {1, 1, -1}, {3, 3, 3}, {4, 3, -4}, {1 << 63, 64, -1 << 63}, {1<<63 - 1, 64, 1<<63 - 1}} {
		if got := signBits(tt.v, tt.width); got != tt.want {
			t.Errorf("signBits(%#x, %d) = %d, want %d", tt.v, tt.width, got, tt.want)
		}
	}
}

func TestByteOrder(t *testing.T) {
	a, b, c := ToBe16(0x0102), ToBe32(0x01020304), ToBe64(0x0102030405060708)
	if got := *(*[2]byte)(unsafe.Pointer(&a)); got != [2]byte{1, 2} {
		t.Errorf("ToBe16: %x", got)
	}
	if got := *(*[4]byte)(unsafe.Pointer(&b)); got != [4]byte{1, 2, 3, 4} {
		t.Errorf("ToBe32: %x", got)
	}
	if got := *(*[8]byte)(unsafe.Pointer(&c)); got != [8]byte{1, 2, 3, 4, 5, 6, 7, 8} {
		t.Errorf("ToBe64: %x", got)
	}
	if a.Host() != 0x0102 || b.Host() != 0x01020304 || c.Host() != 0x0102030405060708 {
		t.Errorf("Host: %x %x %x", a.Host(), b.Host(), c.Host())
	}
	if got, want := fmt.Sprint(a, b, c), "258 16909060 72623859790382856"; got != want {
		t.Errorf("as text: %s, want %s", got, want)
	}
}

func TestFlagText(t *testing.T) {
	names := []flagName{{6, "PAIR"}, {1, "A"}, {8, "B"}, {1 << 63, "TOP"}}
	for _, tt := range []struct {
		v    uint64
		want string
	}{
		{0, "NONE"}, {1, "A"}, {9, "A|B"}, {7, "PAIR|A"}, {2, "0x2"}, {0x103, "A|0x102"}, {1 << 63, "TOP"},
		{^uint64(0), "PAIR|A|B|TOP|0x7ffffffffffffff0"},
	} {
		if got := flagText(tt.v, names, "NONE"); got != tt.want {
			t.Errorf("flagText(%#x) = %s, want %s", tt.v, got, tt.want)
		}
	}
}
