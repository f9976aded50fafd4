package verbs

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/goverbs/ibv"
)

// An Endpoint is what one side of a connection has to know of the other: see [QP.Endpoint] and [QP.Connect]. Its text is what rdma-core's
// ibv_rc_pingpong exchanges, and its binary form has a fixed length.
type Endpoint struct {
	// The port's LID; 0 on Ethernet.
	LID uint16
	// The QP's number, and the packet sequence number of the first packet that it will send: 24 bits each.
	QPNum, PSN uint32
	// The address of the port.
	GID ibv.GID
}

// An EndpointError says what is wrong with an endpoint's text or binary form.
type EndpointError struct {
	// The part: "lid", "qpn", "psn", "gid"; "version" of the binary form; or "text" or "length" if there are no parts to be seen.
	Field string
	// What it is, and what it should be.
	Reason string
}

func (e *EndpointError) Error() string { return "endpoint: " + e.Field + " " + e.Reason }

// max24 is the largest number of 24 bits.
const max24 = 1<<24 - 1

// String is lid:qpn:psn:gid, in hexadecimal digits: 4, 6, 6 and 32 of them.
func (e Endpoint) String() string {
	return fmt.Sprintf("%04x:%06x:%06x:%x", e.LID, e.QPNum, e.PSN, *e.GID.Raw())
}

// ParseEndpoint reads what String writes; letters may be capital. The error is an *EndpointError.
func ParseEndpoint(s string) (Endpoint, error) {
	parts := strings.Split(s, ":")
	if len(parts) != 4 {
		return Endpoint{}, &EndpointError{"text", fmt.Sprintf("has %d parts between colons, and not lid:qpn:psn:gid", len(parts))}
	}
	var bytes [2 + 3 + 3 + 16]byte
	to := bytes[:]
	for i, f := range []struct {
		name string
		size int
	}{{"lid", 2}, {"qpn", 3}, {"psn", 3}, {"gid", 16}} {
		if len(parts[i]) != 2*f.size {
			return Endpoint{}, &EndpointError{f.name, fmt.Sprintf("has %d digits, and not %d", len(parts[i]), 2*f.size)}
		}
		if _, err := hex.Decode(to[:f.size], []byte(parts[i])); err != nil {
			return Endpoint{}, &EndpointError{f.name, fmt.Sprintf("is %q, which is not hexadecimal", parts[i])}
		}
		to = to[f.size:]
	}
	e := Endpoint{LID: binary.BigEndian.Uint16(bytes[:]), QPNum: uint24(bytes[2:]), PSN: uint24(bytes[5:])}
	copy(e.GID.Raw()[:], bytes[8:])
	return e, nil
}

func uint24(b []byte) uint32 { return uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2]) }

// MarshalText returns what String does, or an *EndpointError for a number of more than 24 bits.
func (e Endpoint) MarshalText() ([]byte, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	return []byte(e.String()), nil
}

// UnmarshalText reads what ParseEndpoint does. On an error e is unchanged.
func (e *Endpoint) UnmarshalText(text []byte) error {
	n, err := ParseEndpoint(string(text))
	if err != nil {
		return err
	}
	*e = n
	return nil
}

// The binary form: a version, then LID, QPNum, PSN and GID in network order.
const (
	endpointVersion = 1
	endpointSize    = 1 + 2 + 4 + 4 + 16
)

// MarshalBinary returns 27 bytes: the version of the form, 1, then LID (2), QPNum (4), PSN (4) and GID (16) in network order. A number of more
// than 24 bits is an *EndpointError.
func (e Endpoint) MarshalBinary() ([]byte, error) { return e.AppendBinary(nil) }

// AppendBinary appends what MarshalBinary returns.
func (e Endpoint) AppendBinary(b []byte) ([]byte, error) {
	if err := e.check(); err != nil {
		return b, err
	}
	b = append(b, endpointVersion)
	b = binary.BigEndian.AppendUint16(b, e.LID)
	b = binary.BigEndian.AppendUint32(b, e.QPNum)
	b = binary.BigEndian.AppendUint32(b, e.PSN)
	return append(b, e.GID.Raw()[:]...), nil
}

// UnmarshalBinary reads what MarshalBinary returns, and nothing else. The error is an *EndpointError; e is unchanged then.
func (e *Endpoint) UnmarshalBinary(b []byte) error {
	switch {
	case len(b) != endpointSize:
		return &EndpointError{"length", fmt.Sprintf("is %d, and not %d", len(b), endpointSize)}
	case b[0] != endpointVersion:
		return &EndpointError{"version", fmt.Sprintf("is %d, and not %d", b[0], endpointVersion)}
	}
	n := Endpoint{LID: binary.BigEndian.Uint16(b[1:]), QPNum: binary.BigEndian.Uint32(b[3:]), PSN: binary.BigEndian.Uint32(b[7:])}
	copy(n.GID.Raw()[:], b[11:])
	if err := n.check(); err != nil {
		return err
	}
	*e = n
	return nil
}

func (e *Endpoint) check() error {
	switch {
	case e.QPNum > max24:
		return &EndpointError{"qpn", fmt.Sprintf("is %#x, which has more than 24 bits", e.QPNum)}
	case e.PSN > max24:
		return &EndpointError{"psn", fmt.Sprintf("is %#x, which has more than 24 bits", e.PSN)}
	}
	return nil
}
