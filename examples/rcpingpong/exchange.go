package main

import (
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/goverbs/ibv/verbs"
)

// An address is an endpoint's text with the zero byte that ends it in C; the client says at last that it has the server's.
const (
	addressLen = 4 + 1 + 6 + 1 + 6 + 1 + 32 + 1
	done       = "done\x00"
)

// exchange tells the other side the own address, and connects to its. The server is ready before it answers, so that the client may send
// at once.
func exchange(host string, port int, own verbs.Endpoint, connect func(verbs.Endpoint) error) error {
	if host != "" {
		c, err := net.Dial("tcp", net.JoinHostPort(host, fmt.Sprint(port)))
		if err != nil {
			return err
		}
		defer c.Close()
		return ask(c, own, connect)
	}
	l, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
	if err != nil {
		return err
	}
	c, err := l.Accept()
	l.Close() // one client is all there is
	if err != nil {
		return err
	}
	defer c.Close()
	return answer(c, own, connect)
}

// ask is the client's part.
func ask(c net.Conn, own verbs.Endpoint, connect func(verbs.Endpoint) error) error {
	if err := tell(c, own); err != nil {
		return err
	}
	remote, err := hear(c)
	if err != nil {
		return err
	}
	if err := connect(remote); err != nil {
		return err
	}
	_, err = io.WriteString(c, done)
	return err
}

// answer is the server's.
func answer(c net.Conn, own verbs.Endpoint, connect func(verbs.Endpoint) error) error {
	remote, err := hear(c)
	if err != nil {
		return err
	}
	if err := connect(remote); err != nil {
		return err
	}
	if err := tell(c, own); err != nil {
		return err
	}
	b := make([]byte, len(done))
	if _, err := io.ReadFull(c, b); err != nil || string(b) != done {
		return fmt.Errorf("the client ended the exchange with %q, %v", b, err)
	}
	return nil
}

// tell writes at once: the C program reads once.
func tell(c net.Conn, e verbs.Endpoint) error {
	_, err := io.WriteString(c, e.String()+"\x00")
	return err
}

func hear(c net.Conn) (verbs.Endpoint, error) {
	b := make([]byte, addressLen)
	if n, err := io.ReadFull(c, b); err != nil {
		return verbs.Endpoint{}, fmt.Errorf("the other side's address: %q: %w", b[:n], err)
	}
	return verbs.ParseEndpoint(strings.TrimSuffix(string(b), "\x00"))
}
