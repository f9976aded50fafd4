package ibv

import (
	"fmt"
	"net/netip"
)

// GIDFromAddr returns the GID of an address. RoCE v2 gives an IPv4 address a.b.c.d the GID ::ffff:a.b.c.d. A zone is left out,
// and the zero Addr gives the zero GID.
func GIDFromAddr(a netip.Addr) GID {
	var g GID
	if a.IsValid() {
		*g.Raw() = a.As16()
	}
	return g
}

// ParseGID reads a GID's text: an IPv6 address without a zone, in any of its forms, or an IPv4 address, for which RoCE v2 has
// a GID. It reads what String writes, and what the kernel shows in /sys/class/infiniband.
func ParseGID(s string) (GID, error) {
	a, err := netip.ParseAddr(s)
	switch {
	case err != nil:
		return GID{}, fmt.Errorf("parse GID %q: not an IPv6 or IPv4 address", s)
	case a.Zone() != "":
		return GID{}, fmt.Errorf("parse GID %q: a GID has no zone", s)
	}
	return GIDFromAddr(a), nil
}

// Addr returns the IPv6 address with the GID's bytes. It is an IPv4 address mapped to IPv6 where RoCE v2 uses IPv4; Unmap
// makes an IPv4 address of it.
func (g GID) Addr() netip.Addr { return netip.AddrFrom16(*g.Raw()) }

// IsZero reports whether all bytes are zero, as in an unused entry of a port's table.
func (g GID) IsZero() bool { return *g.Raw() == [16]byte{} }

// String is the text of an IPv6 address: fe80::1, ::ffff:10.9.0.1.
func (g GID) String() string { return g.Addr().String() }

// MarshalText returns what String does.
func (g GID) MarshalText() ([]byte, error) { return g.Addr().MarshalText() }

// UnmarshalText reads what ParseGID does. On an error g is unchanged.
func (g *GID) UnmarshalText(text []byte) error {
	n, err := ParseGID(string(text))
	if err != nil {
		return err
	}
	*g = n
	return nil
}
