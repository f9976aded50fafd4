//go:build linux && cgo

package softdev

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// files returns what matches a pattern, and reads it, so that go test's cache knows of what only the C compiler uses.
func files(t *testing.T, pattern string) []string {
	t.Helper()
	r := must(filepath.Glob(pattern))(t)
	if len(r) == 0 {
		t.Fatalf("no files %s", pattern)
	}
	for _, name := range r {
		must(os.ReadFile(name))(t)
	}
	return r
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %.200s: %v\n%.6000s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// compile makes an object of each of the device's files, in a new folder.
func compile(t *testing.T, flags ...string) (dir string, objects []string) {
	t.Helper()
	dir = t.TempDir()
	files(t, "*.h")
	args := append([]string{"-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-c"}, flags...)
	for _, source := range files(t, "*.c") {
		args = append(args, must(filepath.Abs(source))(t))
		objects = append(objects, filepath.Join(dir, strings.TrimSuffix(source, ".c")+".o"))
	}
	cmd := exec.Command("gcc", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.6000s", err, out)
	}
	return dir, objects
}

// TestC runs the device's tests in C, each a program with the whole device in it: with gcc's sanitizers, under valgrind if there is one,
// and with the lines counted.
func TestC(t *testing.T) {
	for name, mode := range map[string]struct {
		compile []string
		run     [][]string
	}{
		"plain":    {[]string{"-O2"}, [][]string{nil, {"valgrind", "-q", "--fair-sched=yes", "--leak-check=full", "--errors-for-leak-kinds=definite", "--error-exitcode=9"}}},
		"address":  {[]string{"-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}, [][]string{nil}},
		"thread":   {[]string{"-O1", "-fsanitize=thread"}, [][]string{{"setarch", "-R"}}}, // it fails where addresses are spread widely
		"coverage": {[]string{"-O0", "--coverage"}, [][]string{nil}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, objects := compile(t, mode.compile...)
			for _, program := range programs(t, dir, objects, mode.compile) {
				for _, prefix := range mode.run {
					runUnder(t, prefix, program)
				}
			}
			switch name {
			case "coverage":
				coverage(t, dir)
			case "plain":
				unlinked(t, objects)
			}
		})
	}
}

// programs builds the tests.
func programs(t *testing.T, dir string, objects, flags []string) (r []string) {
	t.Helper()
	files(t, "testdata/*.h")
	files(t, "../testdata/*.h")
	for _, test := range files(t, "testdata/*.c") {
		program := filepath.Join(dir, strings.TrimSuffix(filepath.Base(test), ".c"))
		args := append([]string{"-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", program, test}, flags...)
		run(t, "gcc", append(args, objects...)...)
		r = append(r, program)
	}
	return r
}

func runUnder(t *testing.T, prefix []string, program string) {
	t.Helper()
	if prefix != nil {
		if _, err := exec.LookPath(prefix[0]); err != nil {
			t.Log(err)
			return
		}
	}
	command := append(prefix[:len(prefix):len(prefix)], program)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Errorf("%q: %v, %v\n%.6000s", command, err, ctx.Err(), out)
	}
}

// unlinked wants the device to refer to nothing of the library, whatever the header's inlines call.
func unlinked(t *testing.T, objects []string) {
	t.Helper()
	for line := range strings.Lines(run(t, "nm", append([]string{"-u"}, objects...)...)) {
		if name := strings.TrimSpace(line); strings.HasPrefix(name, "U ibv_") || strings.HasPrefix(name, "U _ibv_") {
			t.Errorf("the device refers to %s of the library", name)
		}
	}
}

// coverage wants most lines of the device to have been run.
func coverage(t *testing.T, dir string) {
	line := regexp.MustCompile(`(?s)File '(?:[^']*/)?([a-z_]+\.c)'\nLines executed:([0-9.]+)% of ([0-9]+)`)
	out := run(t, "gcov", append([]string{"-n", "-o", dir}, files(t, "*.c")...)...)
	var table strings.Builder
	var executed, total float64
	for _, m := range line.FindAllStringSubmatch(out, -1) {
		part, of := must(strconv.ParseFloat(m[2], 64))(t), must(strconv.ParseFloat(m[3], 64))(t)
		executed, total = executed+part*of/100, total+of
		fmt.Fprintf(&table, "\n%14s %6.2f %% of %3.0f", m[1], part, of)
	}
	t.Logf("%.1f %% of %.0f lines%s", 100*executed/total, total, table.String())
	if total < 500 || executed < 0.8*total {
		t.Errorf("%.0f of %.0f lines were run, want 80 %%", executed, total)
	}
}
