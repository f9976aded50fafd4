package verbs

import (
	"bytes"
	"encoding"
	"errors"
	"strings"
	"testing"

	"github.com/goverbs/ibv"
)

var (
	_ encoding.TextMarshaler     = Endpoint{}
	_ encoding.TextUnmarshaler   = (*Endpoint)(nil)
	_ encoding.BinaryMarshaler   = Endpoint{}
	_ encoding.BinaryUnmarshaler = (*Endpoint)(nil)
	_ encoding.BinaryAppender    = Endpoint{}
)

func gid(t testing.TB, s string) ibv.GID {
	t.Helper()
	g, err := ibv.ParseGID(s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// The text is what ibv_rc_pingpong sends, and the binary form has network order, whatever the machine's.
func TestEndpointForms(t *testing.T) {
	for _, c := range []struct {
		e      Endpoint
		text   string
		binary string
	}{
		{Endpoint{}, "0000:000000:000000:00000000000000000000000000000000", "\x01" + strings.Repeat("\x00", 26)},
		{Endpoint{LID: 0x12, QPNum: 0x345, PSN: 0xabcdef, GID: gid(t, "::ffff:10.9.0.1")}, "0012:000345:abcdef:00000000000000000000ffff0a090001",
			"\x01\x00\x12\x00\x00\x03\x45\x00\xab\xcd\xef\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x0a\x09\x00\x01"},
		{Endpoint{LID: 0xffff, QPNum: 0xffffff, PSN: 1, GID: gid(t, "fe80::1")}, "ffff:ffffff:000001:fe800000000000000000000000000001",
			"\x01\xff\xff\x00\xff\xff\xff\x00\x00\x00\x01\xfe\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"},
	} {
		if c.e.String() != c.text {
			t.Errorf("%v, want %v", c.e, c.text)
		}
		text, err := c.e.MarshalText()
		if err != nil || string(text) != c.text {
			t.Errorf("%s, %v", text, err)
		}
		b, err := c.e.MarshalBinary()
		if err != nil || string(b) != c.binary {
			t.Errorf("% x, %v; want % x", b, err, c.binary)
		}
		if b, err := c.e.AppendBinary([]byte("before")); err != nil || string(b) != "before"+c.binary {
			t.Errorf("% x, %v", b, err)
		}
		for _, text := range []string{c.text, strings.ToUpper(c.text)} {
			if e, err := ParseEndpoint(text); err != nil || e != c.e {
				t.Errorf("%v, %v", e, err)
			}
		}
		var e, f Endpoint
		if err := e.UnmarshalText([]byte(c.text)); err != nil || e != c.e {
			t.Errorf("%v, %v", e, err)
		}
		if err := f.UnmarshalBinary([]byte(c.binary)); err != nil || f != c.e {
			t.Errorf("%v, %v", f, err)
		}
	}
}

// What is malformed is told by the part's name, and leaves the endpoint as it was.
func TestEndpointMalformed(t *testing.T) {
	zeros := strings.Repeat("0", 32)
	wantField := func(what string, err error, field string) {
		t.Helper()
		var e *EndpointError
		if !errors.As(err, &e) || e.Field != field || !strings.Contains(err.Error(), field) {
			t.Errorf("%q: %v, want an *EndpointError about %s", what, err, field)
		}
	}
	for text, field := range map[string]string{
		"": "text", "0000:000000:000000": "text", "0000:000000:000000:" + zeros + ":": "text", "::::": "text",
		":000000:000000:" + zeros: "lid", "00000:000000:000000:" + zeros: "lid", "00g0:000000:000000:" + zeros: "lid", "-001:000000:000000:" + zeros: "lid",
		"0000:00000:000000:" + zeros: "qpn", "0000:0x0000:000000:" + zeros: "qpn", "0000:000000:0000000:" + zeros: "psn", "0000:000000:00000 :" + zeros: "psn",
		"0000:000000:000000:" + zeros[1:]: "gid", "0000:000000:000000:" + zeros[1:] + "\x00": "gid", "0000:000000:000000:" + zeros + "\n": "gid",
	} {
		e := Endpoint{LID: 5}
		wantField(text, e.UnmarshalText([]byte(text)), field)
		if e != (Endpoint{LID: 5}) {
			t.Errorf("%q changed it to %v", text, e)
		}
	}
	good, _ := Endpoint{}.MarshalBinary()
	change := func(at int, to byte) []byte {
		b := bytes.Clone(good)
		b[at] = to
		return b
	}
	for _, c := range []struct {
		b     []byte
		field string
	}{{nil, "length"}, {good[:26], "length"}, {append(bytes.Clone(good), 0), "length"}, {change(0, 0), "version"}, {change(0, 2), "version"}, {change(3, 1), "qpn"}, {change(7, 0x80), "psn"}} {
		e := Endpoint{LID: 5}
		wantField(string(c.b), e.UnmarshalBinary(c.b), c.field)
		if e != (Endpoint{LID: 5}) {
			t.Errorf("% x changed it to %v", c.b, e)
		}
	}
	for field, e := range map[string]Endpoint{"qpn": {QPNum: 1 << 24}, "psn": {PSN: 1 << 24}} {
		_, err := e.MarshalText()
		wantField(e.String(), err, field)
		_, err = e.MarshalBinary()
		wantField(e.String(), err, field)
	}
}

func FuzzEndpoint(f *testing.F) {
	f.Add([]byte("0012:000345:abcdef:00000000000000000000ffff0a090001"))
	f.Add([]byte("::::"))
	b, _ := Endpoint{LID: 1, QPNum: 2, PSN: 3}.MarshalBinary()
	f.Add(b)
	f.Fuzz(func(t *testing.T, data []byte) {
		var e Endpoint
		var failure *EndpointError
		if err := e.UnmarshalText(data); err == nil {
			if text, err := e.MarshalText(); err != nil || !strings.EqualFold(string(text), string(data)) {
				t.Errorf("%q became %q, %v", data, text, err)
			}
		} else if !errors.As(err, &failure) || e != (Endpoint{}) {
			t.Errorf("%q: %v, %v", data, err, e)
		}
		e = Endpoint{}
		if err := e.UnmarshalBinary(data); err == nil {
			if b, err := e.MarshalBinary(); err != nil || !bytes.Equal(b, data) {
				t.Errorf("% x became % x, %v", data, b, err)
			}
		} else if !errors.As(err, &failure) || e != (Endpoint{}) {
			t.Errorf("% x: %v, %v", data, err, e)
		}
	})
}
