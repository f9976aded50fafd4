package verbstest

import (
	"encoding/binary"
	"net/netip"
)

// UDPFrame makes a packet for Inject: an Ethernet frame without FCS that carries a UDP datagram over IPv4, or over IPv6 if src is such an
// address, with right checksums. Both addresses have to be of the same kind. Nothing is cut: a payload that is too long for UDP gives
// a frame whose lengths are wrong.
func UDPFrame(src, dst netip.AddrPort, payload []byte) []byte {
	udp := binary.BigEndian.AppendUint16(nil, src.Port())
	udp = binary.BigEndian.AppendUint16(udp, dst.Port())
	udp = binary.BigEndian.AppendUint16(udp, uint16(8+len(payload)))
	udp = append(append(udp, 0, 0), payload...)
	s, d := src.Addr().AsSlice(), dst.Addr().AsSlice()
	sum := checksum(uint32(17+len(udp)), s, d, udp)
	if sum == 0 {
		sum = 0xffff // 0 would say that there is none
	}
	binary.BigEndian.PutUint16(udp[6:], sum)

	frame := []byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1} // locally administered addresses
	if src.Addr().Is4() {
		ip := []byte{0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0}
		binary.BigEndian.PutUint16(ip[2:], uint16(20+len(udp)))
		ip = append(append(ip, s...), d...)
		binary.BigEndian.PutUint16(ip[10:], checksum(0, ip))
		return append(append(append(frame, 0x08, 0x00), ip...), udp...)
	}
	ip := []byte{0x60, 0, 0, 0, 0, 0, 17, 64}
	binary.BigEndian.PutUint16(ip[4:], uint16(len(udp)))
	ip = append(append(ip, s...), d...)
	return append(append(append(frame, 0x86, 0xdd), ip...), udp...)
}

// checksum is the Internet's: the complement of the ones' complement sum of 16-bit words. All parts but the last have an even length.
func checksum(sum uint32, parts ...[]byte) uint16 {
	for _, p := range parts {
		for ; len(p) > 1; p = p[2:] {
			sum += uint32(binary.BigEndian.Uint16(p))
		}
		if len(p) == 1 {
			sum += uint32(p[0]) << 8
		}
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}
