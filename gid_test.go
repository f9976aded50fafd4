package ibv

import (
	"encoding"
	"encoding/json"
	"net/netip"
	"testing"
)

var (
	_ encoding.TextMarshaler   = GID{}
	_ encoding.TextUnmarshaler = (*GID)(nil)
)

func gidOf(b [16]byte) GID {
	var g GID
	*g.Raw() = b
	return g
}

func TestGIDText(t *testing.T) {
	tests := []struct {
		text  string // as read
		bytes [16]byte
		want  string // as written
	}{
		{"fe80::1", [16]byte{0: 0xfe, 1: 0x80, 15: 1}, "fe80::1"},
		{"fe80:0000:0000:0000:0202:c9ff:fe01:0203", [16]byte{0xfe, 0x80, 0, 0, 0, 0, 0, 0, 2, 2, 0xc9, 0xff, 0xfe, 1, 2, 3}, "fe80::202:c9ff:fe01:203"},
		{"0000:0000:0000:0000:0000:ffff:0a09:0001", [16]byte{10: 0xff, 11: 0xff, 12: 10, 13: 9, 15: 1}, "::ffff:10.9.0.1"},
		{"::ffff:10.9.0.1", [16]byte{10: 0xff, 11: 0xff, 12: 10, 13: 9, 15: 1}, "::ffff:10.9.0.1"},
		{"10.9.0.1", [16]byte{10: 0xff, 11: 0xff, 12: 10, 13: 9, 15: 1}, "::ffff:10.9.0.1"},
		{"::", [16]byte{}, "::"},
	}
	for _, tt := range tests {
		g, err := ParseGID(tt.text)
		if err != nil || g != gidOf(tt.bytes) {
			t.Errorf("ParseGID(%q) = %v, %v, want %v", tt.text, *g.Raw(), err, tt.bytes)
		}
		if got := gidOf(tt.bytes).String(); got != tt.want {
			t.Errorf("String() of %v = %q, want %q", tt.bytes, got, tt.want)
		}
		if got, want := g.IsZero(), tt.bytes == [16]byte{}; got != want {
			t.Errorf("IsZero() of %v = %v", tt.bytes, got)
		}
	}
	for _, bad := range []string{"", "fe80", "fe80::1%eth0", "fe80::1/64", "1:2:3:4:5:6:7:8:9", "10.9.0.256", " ::1"} {
		if g, err := ParseGID(bad); err == nil {
			t.Errorf("ParseGID(%q) = %v, want an error", bad, g)
		}
	}
}

func TestGIDInJSON(t *testing.T) {
	want := map[string]GID{"gid": gidOf([16]byte{0: 0xfe, 1: 0x80, 15: 1})}
	b, err := json.Marshal(want)
	if err != nil || string(b) != `{"gid":"fe80::1"}` {
		t.Fatalf("Marshal = %s, %v", b, err)
	}
	got := map[string]GID{}
	if err := json.Unmarshal(b, &got); err != nil || got["gid"] != want["gid"] {
		t.Errorf("Unmarshal = %v, %v", got, err)
	}
	g := gidOf([16]byte{15: 9})
	if err := g.UnmarshalText([]byte("nonsense")); err == nil || g != gidOf([16]byte{15: 9}) {
		t.Errorf("UnmarshalText(nonsense): %v, GID now %v", err, g)
	}
}

func TestGIDFromAddr(t *testing.T) {
	v4 := netip.MustParseAddr("192.0.2.7")
	g := GIDFromAddr(v4)
	if want := gidOf([16]byte{10: 0xff, 11: 0xff, 12: 192, 13: 0, 14: 2, 15: 7}); g != want {
		t.Errorf("GIDFromAddr(%v) = %v, want %v", v4, *g.Raw(), *want.Raw())
	}
	if got := g.Addr().Unmap(); got != v4 {
		t.Errorf("Addr().Unmap() = %v, want %v", got, v4)
	}
	if g := GIDFromAddr(netip.Addr{}); !g.IsZero() {
		t.Errorf("GIDFromAddr of no address = %v", g)
	}
	zoned := netip.MustParseAddr("fe80::1%eth0")
	if got, want := GIDFromAddr(zoned), gidOf([16]byte{0: 0xfe, 1: 0x80, 15: 1}); got != want {
		t.Errorf("GIDFromAddr(%v) = %v", zoned, got)
	}
}
