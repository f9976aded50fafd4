package compiler

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/goverbs/ibv/gen/model"
)

// script makes a program.
func script(t *testing.T, text string) Command {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cc")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return Command{path}
}

func TestFind(t *testing.T) {
	t.Setenv("CC", "")
	if c, err := Find("sh -x"); err != nil || strings.Join(c, " ") != "sh -x" {
		t.Errorf("Find(sh -x) = %v, %v", c, err)
	}
	if _, err := Find("no-such-compiler"); !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "CC=no-such-compiler") {
		t.Errorf("Find(no-such-compiler): %v", err)
	}
	t.Setenv("CC", "sh")
	if c, err := Find(""); err != nil || c[0] != "sh" {
		t.Errorf("with CC=sh: %v, %v", c, err)
	}
	t.Setenv("CC", "")
	t.Setenv("PATH", "")
	if _, err := Find(""); !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "apt-get install gcc") {
		t.Errorf("without any: %v", err)
	}
	for _, arch := range model.Archs {
		if _, err := ForArch(arch); arch != runtime.GOARCH && (!errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "apt-get install gcc-")) {
			t.Errorf("ForArch(%s) without any: %v", arch, err)
		}
	}
	if _, err := ForArch("mips"); err == nil || !strings.Contains(err.Error(), `"mips"`) {
		t.Errorf("ForArch(mips): %v", err)
	}
}

func TestArch(t *testing.T) {
	for triple, want := range map[string]string{"x86_64-linux-gnu": "amd64", "x86_64-pc-linux-gnu": "amd64", "s390x-linux-gnu": "s390x",
		"powerpc64le-linux-gnu": "ppc64le", "powerpc64-linux-gnu": "", "i686-linux-gnu": "", "": ""} {
		if got, err := script(t, "echo "+triple).Arch(); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", triple, got, err, want)
		}
	}
}

// A compiler that hangs, or whose child does, is ended; so is one that prints without end.
func TestRunBounds(t *testing.T) {
	for name, text := range map[string]string{"itself": "exec sleep 1000", "child": "sleep 1000", "child in the background": "sleep 1000 &"} {
		start := time.Now()
		_, _, err := script(t, text).run(200*time.Millisecond, nil)
		if name != "child in the background" && (err == nil || !strings.Contains(err.Error(), "no answer within 200ms")) {
			t.Errorf("%s: %v", name, err)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s: ended after %v", name, d)
		}
	}
	if _, _, err := script(t, "exec yes").run(timeLimit, nil); err == nil || !strings.Contains(err.Error(), "printed more than 32 MB") {
		t.Errorf("endless output: %v", err)
	}
	out, errs, err := script(t, "cat; echo no >&2; exit 3").run(timeLimit, []byte("text"), "-c")
	if string(out) != "text" || string(errs) != "no\n" || err == nil || err.Error() != "exit status 3" {
		t.Errorf("a failure: %q, %q, %v", out, errs, err)
	}
	if _, _, err := (Command{"/no/such/file"}).Run(nil); !errors.Is(err, ErrNone) {
		t.Errorf("no such file: %v", err)
	}
}
