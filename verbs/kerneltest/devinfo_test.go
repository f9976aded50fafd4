//go:build kernel

package kerneltest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestDevinfo compares what the example says of the device with what rdma-core's program does: each line, with all and with few of them.
func TestDevinfo(t *testing.T) {
	own := example(t, "devinfo")
	for _, flags := range [][]string{{"-v"}, {}, {"-v", "-i", "1"}} {
		flags = append(flags, "-d", *device)
		want := fields(t, "ibv_devinfo", flags...)
		got := fields(t, own, flags...)
		differ := 0
		for _, line := range got {
			if !slices.Contains(want, line) {
				t.Errorf("%q is only in the example's", line)
				differ++
			}
		}
		for _, line := range want {
			if !slices.Contains(got, line) {
				t.Errorf("%q is only in rdma-core's", line)
				differ++
			}
		}
		if differ == 0 && !slices.Equal(got, want) {
			t.Errorf("the lines come in another order:\n%s", strings.Join(got, ""))
		}
		t.Logf("ibv_devinfo %s: %d lines, %d differ", strings.Join(flags, " "), len(want), differ)
		if len(want) < 17 { // eight of the device without -v, and nine of its port
			t.Errorf("there are too few lines")
		}
	}
}

// fields runs a program and returns its lines; a line that only continues a field, such as a flag, has the field's name in front.
func fields(t *testing.T, program string, flags ...string) []string {
	t.Helper()
	out, err := exec.Command(program, flags...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
	if strings.HasPrefix(program, "ibv_") {
		t.Logf("%s %s\n%s", program, strings.Join(flags, " "), out) // the other's is the same, or what differs is reported
	}
	var lines []string
	field := ""
	for line := range strings.Lines(string(out)) {
		if name, _, ok := strings.Cut(line, ":\t"); ok || strings.HasSuffix(line, ":\n") {
			field = strings.TrimSpace(name)
		} else {
			line = field + ": " + line
		}
		lines = append(lines, line)
	}
	return lines
}
