//go:build linux && cgo

package cverbs

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func seteuid(user string) error {
	id, err := strconv.Atoi(user)
	if err != nil {
		return err
	}
	return syscall.Setreuid(-1, id)
}

// openFiles counts this process's descriptors.
func openFiles() string {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		panic(err)
	}
	return strconv.Itoa(len(entries))
}

// mapped tells whether a file whose path has part is in this process.
func mapped(part string) bool {
	b, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		panic(err)
	}
	return strings.Contains(string(b), part)
}

// What is refused is neither left open nor left in the process.
func TestNothingLeft(t *testing.T) {
	good := verbsLike.build(t, "libibverbs.so.1")
	other := shared{"libother.so", map[string]string{"other": "OTHER_1"}}.build(t, "other.so")
	named := shared{"libverbscopy.so", verbsLike.symbols}.build(t, "libverbscopy.so")
	steps := []string{"fds"} // the first opens what the runtime keeps open for reading folders
	steps = append(steps, "fds")
	cut := edited(t, good, func(b []byte) []byte { return b[:40] })
	for _, path := range []string{cut, other, filepath.Dir(good), "/absent"} {
		steps = append(steps, "set "+path, "load", "fds")
	}
	steps = append(steps, "mapped "+other, "open "+good, "set "+other, "load", "set libverbscopy.so", "load", "mapped "+named,
		"set "+cut, "load", "close "+good, "mapped "+good)
	r := child(t, []string{"LD_LIBRARY_PATH=" + filepath.Dir(named)}, steps...)
	for i, step := range steps {
		switch {
		case step == "fds" && r[i].Value != r[1].Value:
			t.Errorf("step %d: %s open files, %s before", i, r[i].Value, r[1].Value)
		case strings.HasPrefix(step, "mapped") && r[i].Value != "false":
			t.Errorf("step %d: still %s", i, step)
		case step == "load" && r[i].Reason == 0:
			t.Errorf("step %d: %+v, want an error", i, r[i])
		}
	}
	steps = []string{"set " + good, "fds", "fds", "load", "fds"}
	if r := child(t, nil, steps...); r[4].Value != r[2].Value || r[3].Err != "" {
		t.Errorf("%+v", r)
	}
}

// A failure is remembered until the library is chosen again, also if the file is there meanwhile.
func TestFailureRemembered(t *testing.T) {
	good := verbsLike.build(t, "libibverbs.so.1")
	path := filepath.Join(t.TempDir(), "libibverbs.so.1")
	r := child(t, nil, "set "+path, "load", "link "+good+" "+path, "load", "null ibv_alloc_pd "+lackingLibrary, "loaded", "set "+path, "load")
	if r[1].Reason != Missing || r[2].Err != "" || r[3].Reason != Missing || r[4].Reason != Missing || r[5].Value != "" || r[6].Err != "" || r[7].Err != "" {
		t.Errorf("%+v", r)
	}
}

// The look at a file shows in no program that is started meanwhile.
func TestCloseOnExec(t *testing.T) {
	readAll(t, append(includes, "loader_check.c", "testdata/check.c", "testdata/demand.h")...)
	program := filepath.Join(t.TempDir(), "check")
	run(t, "gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I.", "-Wl,--wrap=open", "-o", program, "testdata/check.c", "loader_check.c")
	if out := run(t, program, program); strings.TrimSpace(out) != "done" {
		t.Error(out)
	}
}

// The library would not listen to a program with more rights than its user.
func TestNoDriversForSetuid(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can take on another user's rights")
	}
	r := child(t, nil, "seteuid 65534", "set /x "+t.TempDir(), "set /x", "seteuid 0")
	if r[0].Err != "" || r[1].Reason != BadPath || !strings.Contains(r[1].Err, "setuid") || r[2].Err != "" {
		t.Errorf("%+v", r)
	}
}

// devices makes a library whose list of devices has n of them by its own account, and which may be given back once.
func devices(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "lib.c"), fmt.Sprintf(`#include <stdlib.h>
static void *list[8];
static int freed;
void *ibv_get_device_list(int *n) { *n = %d; return list; }
void ibv_free_device_list(void *l) { if (l != list || freed++) abort(); }
`, n))
	write(t, filepath.Join(dir, "lib.map"), "IBVERBS_1.1 { global: ibv_*; local: *; };\n")
	path := filepath.Join(dir, "libibverbs.so.1")
	run(t, "gcc", "-shared", "-fPIC", "-o", path, filepath.Join(dir, "lib.c"), "-Wl,--version-script="+filepath.Join(dir, "lib.map"))
	return path
}

// A list of devices is given back once; a library without the function has no list, which is not an empty one.
func TestDeviceLists(t *testing.T) {
	lacking := shared{"libibverbs.so.1", map[string]string{"ibv_alloc_pd": "IBVERBS_1.1"}}.build(t, "libibverbs.so.1")
	if r := child(t, nil, "set "+lacking, "list"); !strings.Contains(r[1].Err, "has no ibv_get_device_list@IBVERBS_1.1") || !r[1].NotSupported {
		t.Errorf("%+v", r)
	}
	for n, want := range map[int]string{3: "3", 0: "0", -1: "0"} {
		if r := child(t, nil, "set "+devices(t, n), "list"); r[1].Value != want || r[1].Err != "" {
			t.Errorf("%d devices: %+v", n, r)
		}
	}
}
