package helper

// loadBits reads the bit-field of width bits that begins at bit pos of b. C compilers fill the bits of a byte from the least
// significant one on a little-endian machine, and from the most significant one on a big-endian machine.
func loadBits(b []byte, pos, width int, bigEndian bool) uint64 {
	var v uint64
	for n := 0; n < width; {
		off := (pos + n) % 8
		take := min(8-off, width-n)
		c := b[(pos+n)/8]
		if bigEndian {
			v = v<<take | uint64(c>>(8-off-take)&(1<<take-1))
		} else {
			v |= uint64(c>>off&(1<<take-1)) << n
		}
		n += take
	}
	return v
}

// storeBits writes the low bits of v where loadBits reads them, and leaves the other bits of b alone.
func storeBits(b []byte, pos, width int, v uint64, bigEndian bool) {
	for n := 0; n < width; {
		off := (pos + n) % 8
		take := min(8-off, width-n)
		mask := byte(1<<take - 1)
		part, shift := byte(v>>n), off
		if bigEndian {
			part, shift = byte(v>>(width-n-take)), 8-off-take
		}
		c := &b[(pos+n)/8]
		*c = *c&^(mask<<shift) | part&mask<<shift
		n += take
	}
}

// signBits makes a signed number of the width bits that loadBits read.
func signBits(v uint64, width int) int64 { return int64(v<<(64-width)) >> (64 - width) }
