//go:build linux && cgo

package cverbs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// shared is what a made-up library has: functions by name, each with its version.
type shared struct {
	soname  string
	symbols map[string]string
}

// verbsLike is a library that passes for libibverbs but for most of its functions. Its list of devices is NULL.
var verbsLike = shared{"libibverbs.so.1", map[string]string{
	"ibv_get_device_list": "IBVERBS_1.1", "ibv_free_device_list": "IBVERBS_1.1", "ibv_set_ece": "IBVERBS_1.9"}}

// build makes the library with the C compiler and returns its path.
func (s shared) build(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	var code, script strings.Builder
	versions := map[string][]string{}
	code.WriteString("int ibvgo_filler[4096] = {1};\n")
	for symbol, version := range s.symbols {
		fmt.Fprintf(&code, "void *%s(void) { return 0; }\n", symbol)
		versions[version] = append(versions[version], symbol)
	}
	for version, symbols := range versions {
		fmt.Fprintf(&script, "%s { global: %s; };\n", version, strings.Join(symbols, "; "))
	}
	write(t, filepath.Join(dir, "lib.c"), code.String())
	write(t, filepath.Join(dir, "lib.map"), script.String())
	path := filepath.Join(dir, name)
	args := []string{"-shared", "-fPIC", "-O1", "-o", path, filepath.Join(dir, "lib.c"), "-Wl,--version-script=" + filepath.Join(dir, "lib.map")}
	if s.soname != "" {
		args = append(args, "-Wl,-soname,"+s.soname)
	}
	run(t, "gcc", args...)
	return path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%.4000s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
