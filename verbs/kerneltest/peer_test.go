//go:build kernel

package kerneltest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// example is the path of one of the example programs, which are built beforehand: where there is a device, there need not be a compiler.
func example(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("IBV_PROGRAMS")
	if dir == "" {
		t.Fatal("IBV_PROGRAMS is not set: make test-kernel and make test-hw build the programs, and say where they are")
	}
	return filepath.Join(dir, name)
}

// deviceFlags are those of both ping-pong programs that say what to go through.
func deviceFlags(t *testing.T) []string {
	t.Helper()
	if which() == rxe {
		return []string{"-d", *device, "-g", "1"}
	}
	index, _, err := open(t).SelectGID(1)
	if err != nil {
		return []string{"-d", *device} // InfiniBand does without
	}
	return []string{"-d", *device, "-g", strconv.Itoa(index)}
}

// A played is how one side of a game has ended.
type played struct {
	args []string
	out  string // all that it has printed
	err  error
}

func (p played) String() string {
	return fmt.Sprintf("%s %s (%v):\n%s", filepath.Base(p.args[0]), strings.Join(p.args[1:], " "), p.err, p.out)
}

// play has a server and a client play, the latter once the former listens; both are given the same flags. A C program's output, written to
// a pipe, comes at its end only, so that it does not tell when it listens.
func play(t *testing.T, server, client []string, flags ...string) (s, c played) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := func(args []string, more ...string) (*exec.Cmd, *bytes.Buffer) {
		cmd, out := exec.CommandContext(ctx, args[0], slices.Concat(args[1:], flags, more)...), &bytes.Buffer{}
		cmd.Stdout, cmd.Stderr = out, out
		return cmd, out
	}
	one, oneOut := command(server)
	two, twoOut := command(client, "127.0.0.1")
	if err := one.Start(); err != nil {
		t.Fatal(err)
	}
	err := listening(ctx, 18515)
	if err == nil {
		err = two.Run()
	}
	c = played{two.Args, twoOut.String(), err}
	if err != nil {
		cancel() // nobody comes any more
	}
	err = one.Wait()
	return played{one.Args, oneOut.String(), err}, c
}

// listening waits until somebody listens at a port. A connection would tell as well, but end the server's wait for its client.
func listening(ctx context.Context, port int) error {
	for ctx.Err() == nil {
		for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
			b, _ := os.ReadFile(file)
			for line := range strings.Lines(string(b)) {
				// The number, the own address, the other side's, and the state, of which 0A is LISTEN.
				if f := strings.Fields(line); len(f) > 3 && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) && f[3] == "0A" {
					return nil
				}
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("nobody listens at port %d: %w", port, ctx.Err())
}
