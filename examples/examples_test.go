//go:build linux && cgo

// Package examples has the test of the programs below it.
package examples

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata anew")

// build builds a program.
func build(t *testing.T, name string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(name, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has %d files, %v", name, len(files), err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(source, []byte("\n")); n >= 120 {
			t.Errorf("%s has %d lines, and is to have fewer than 120", file, n)
		}
	}
	program := filepath.Join(t.TempDir(), name)
	if out, err := exec.Command("go", "build", "-o", program, "./"+name).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// The life of the work queues, line by line.
func TestWQ(t *testing.T) {
	const golden = "testdata/wq.txt"
	got, err := exec.Command(build(t, "wq")).Output()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

// A ping-pong of any size has as many round trips as were asked for, and a bar for most of them.
func TestPingpong(t *testing.T) {
	program := build(t, "pingpong")
	for _, size := range []string{"1", "64", "1000000"} {
		got, err := exec.Command(program, "-n", "500", "-s", size).Output()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(got), "500 round trips of "+size+" bytes: median ") || !regexp.MustCompile(`s +\d+ #+\n`).Match(got) {
			t.Errorf("printed\n%s", got)
		}
	}
}

// What does not work ends with 1 and a line that says what; what cannot be meant ends with 2.
func TestWhatDoesNotWork(t *testing.T) {
	wq, pingpong, rc, info := build(t, "wq"), build(t, "pingpong"), build(t, "rcpingpong"), build(t, "devinfo")
	for _, c := range []struct {
		exit int
		want string
		args []string
	}{
		{1, "wq: open_device on nosuch: ", []string{wq, "-d", "nosuch"}},
		{1, "pingpong: open_device on nosuch: ", []string{pingpong, "-d", "nosuch"}},
		{1, "rcpingpong: open_device on nosuch: ", []string{rc, "-d", "nosuch"}},
		{1, "devinfo: there is no RDMA device nosuch\n", []string{info, "-d", "nosuch"}},
		{2, "devinfo: [-d device] ", []string{info, "mlx5_0"}},
		{2, "rcpingpong: [-d device] ", []string{rc, "-s", "0"}},
		{2, "rcpingpong: [-d device] ", []string{rc, "-m", "1000"}},
		{2, "rcpingpong: [-d device] ", []string{rc, "one", "two"}},
		{2, "wq: there are no arguments", []string{wq, "mlx5_0"}},
		{2, "pingpong: -n has to be 1 to ", []string{pingpong, "-n", "0"}},
		{2, "pingpong: -n has to be 1 to ", []string{pingpong, "-n", "100000001"}},
		{2, "pingpong: -n has to be 1 to ", []string{pingpong, "-s", "-1"}},
		{2, "pingpong: -n has to be 1 to ", []string{pingpong, "-s", "2147483649"}},
		{2, "pingpong: -n has to be 1 to ", []string{pingpong, "100"}},
	} {
		out, err := exec.Command(c.args[0], c.args[1:]...).CombinedOutput()
		exit, ok := err.(*exec.ExitError)
		if !ok || exit.ExitCode() != c.exit || !strings.HasPrefix(string(out), c.want) || strings.Count(string(out), "\n") != 1 {
			t.Errorf("%q: %v, printed\n%s", c.args, err, out)
		}
	}
}
