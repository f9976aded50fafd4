package main

import (
	"io"
	"net"
	"net/netip"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

// What rdma-core's program has been seen to say, as the server and as its client.
const (
	serverSaid = "0000:000011:dc9321:00000000000000000000ffff0a090001\x00"
	clientSaid = "0000:000012:1eb032:00000000000000000000ffff0a090001\x00"
)

var (
	gid10  = ibv.GIDFromAddr(netip.MustParseAddr("10.9.0.1"))
	server = verbs.Endpoint{QPNum: 0x11, PSN: 0xdc9321, GID: gid10}
	client = verbs.Endpoint{QPNum: 0x12, PSN: 0x1eb032, GID: gid10}
)

// Each part is told the other program's words, and has to say its own, whole and in turn.
func TestExchange(t *testing.T) {
	type part func(net.Conn, verbs.Endpoint, func(verbs.Endpoint) error) error
	for _, c := range []struct {
		name        string
		part        part
		own, remote verbs.Endpoint
		turns       []string // first what the other side says
	}{
		{"client", ask, client, server, []string{"", clientSaid, serverSaid, "done\x00"}},
		{"server", answer, server, client, []string{clientSaid, serverSaid, "done\x00", ""}},
	} {
		here, there := net.Pipe()
		ended := make(chan error, 1)
		go func() {
			ended <- c.part(here, c.own, func(e verbs.Endpoint) error {
				if e != c.remote {
					t.Errorf("%s: connects to %v, want %v", c.name, e, c.remote)
				}
				return nil
			})
			here.Close()
		}()
		for i, words := range c.turns {
			if i%2 == 0 {
				if words != "" {
					io.WriteString(there, words)
				}
				continue
			}
			b := make([]byte, 100)
			if n, _ := there.Read(b); string(b[:n]) != words {
				t.Errorf("%s: said %q, want %q", c.name, b[:n], words)
			}
		}
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Other ends of the exchange are errors.
func TestExchangeCutShort(t *testing.T) {
	for _, words := range []string{"", clientSaid[:20], "0000:000012:1eb032:00000000000000000000ffff0a09000g\x00", clientSaid + "dine\x00", clientSaid + "do"} {
		here, there := net.Pipe()
		go io.Copy(io.Discard, there)
		go func() {
			io.WriteString(there, words)
			there.Close()
		}()
		if err := answer(here, server, func(verbs.Endpoint) error { return nil }); err == nil {
			t.Errorf("%q is taken for an exchange", words)
		}
		here.Close()
	}
}
