//go:build kernel

package kerneltest

import (
	"fmt"
	"regexp"
	"testing"
)

const peer = "ibv_rc_pingpong" // rdma-core's

// TestRCPingpong has the example play with rdma-core's program, each as the server and as the client, which both say the same of their
// addresses. The server validates what the client has marked.
func TestRCPingpong(t *testing.T) {
	flags := deviceFlags(t)
	own := []string{example(t, "rcpingpong")}
	for _, roles := range []struct {
		name           string
		server, client []string
	}{{"GoClient", []string{peer}, own}, {"GoServer", own, []string{peer}}} {
		for _, mode := range []struct {
			name  string
			flags []string
		}{{"Polling", nil}, {"Events", []string{"-e"}}} {
			for _, size := range []int{1, 64, 4096, 65536} {
				t.Run(fmt.Sprintf("%s/%s/%d", roles.name, mode.name, size), func(t *testing.T) {
					rounds := 100
					if size > 4096 {
						rounds = 20
					}
					args := append(append([]string{"-c", "-r", "16", "-s", fmt.Sprint(size), "-n", fmt.Sprint(rounds)}, flags...), mode.flags...)
					s, c := play(t, roles.server, roles.client, args...)
					t.Logf("the server is %vthe client is %v", s, c)
					agree(t, s, c, size, rounds)
				})
			}
		}
	}
}

var (
	localLine  = regexp.MustCompile(`(?m)^  local address:  (LID 0x[0-9a-f]{4}, QPN 0x[0-9a-f]{6}, PSN 0x[0-9a-f]{6}, GID .*)$`)
	remoteLine = regexp.MustCompile(`(?m)^  remote address: (.*)$`)
	invalid    = regexp.MustCompile(`(?m)^.*invalid data.*$`)
)

// agree looks for what both sides have to say of a game: the same addresses, the same numbers, and no wrong data.
func agree(t *testing.T, s, c played, size, rounds int) {
	t.Helper()
	for _, sides := range [][2]played{{s, c}, {c, s}} {
		one, other := sides[0], sides[1]
		if one.err != nil {
			t.Errorf("ended with %v", one.err)
		}
		local, remote := localLine.FindStringSubmatch(one.out), remoteLine.FindStringSubmatch(other.out)
		if local == nil || remote == nil || local[1] != remote[1] {
			t.Errorf("one is at %q, and the other connects to %q", local, remote)
		}
		for _, want := range []string{
			fmt.Sprintf(`(?m)^%d bytes in \d+\.\d\d seconds = \d+\.\d\d Mbit/sec$`, 2*size*rounds),
			fmt.Sprintf(`(?m)^%d iters in \d+\.\d\d seconds = \d+\.\d\d usec/iter$`, rounds),
		} {
			if !regexp.MustCompile(want).MatchString(one.out) {
				t.Errorf("no line is %s", want)
			}
		}
		if line := invalid.FindString(one.out); line != "" {
			t.Error(line)
		}
	}
}

// TestRCPingpongInvalid has clients that do not mark their data: the server that validates notices, whichever it is.
func TestRCPingpongInvalid(t *testing.T) {
	flags := append(deviceFlags(t), "-n", "20")
	own := example(t, "rcpingpong")
	s, c := play(t, []string{peer, "-c"}, []string{own}, flags...)
	t.Logf("the server is %v", s)
	if got := invalid.FindString(s.out); got != "invalid data in page 0" || s.err != nil || c.err != nil {
		t.Errorf("%q; the server ended with %v, the client with %v", got, s.err, c.err)
	}
	s, c = play(t, []string{own, "-c"}, []string{peer}, flags...)
	t.Logf("the server is %v", s)
	if got := invalid.FindString(s.out); got != "rcpingpong: invalid data: byte 0 is 0x7b, and was sent as 0x0" || s.err == nil || c.err != nil {
		t.Errorf("%q; the server ended with %v, the client with %v", got, s.err, c.err)
	}
}
