//go:build linux && cgo

package cverbs

import (
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A program that imports the package starts where libibverbs is not, says so when a device is asked for, and runs with it where it
// is. Where it is not is a folder that has only what the program needs, as the root folder of the program's process.
func TestWithoutLibrary(t *testing.T) {
	t.Parallel()
	readAll(t, append(packageFiles(t), "testdata/starts/main.go")...)
	root := t.TempDir()
	program := filepath.Join(root, "starts")
	goWith(t, "gcc", "", nil, "build", "-o", program, "./testdata/starts")
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if libs, err := f.ImportedLibraries(); err != nil || !slices.Equal(libs, []string{"libc.so.6"}) {
		t.Errorf("the program needs %v, %v: want libc alone", libs, err)
	}
	copyNeeded(t, root, program)

	out, err := inRoot(root)
	if os.Geteuid() != 0 && (errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOSPC)) {
		t.Skipf("this user may neither change the root folder nor make a user namespace, so the test needs root: %v", err)
	}
	if err != nil || !strings.HasPrefix(out, `missing=true path="" n=0 err=`) || !strings.Contains(out, "apt-get install libibverbs1 ibverbs-providers") {
		t.Errorf("without the library: %v\n%s", err, out)
	}

	path := strings.TrimSpace(run(t, "gcc", "-print-file-name=libibverbs.so"))
	library, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	copied(t, root, library, filepath.Join(filepath.Dir(library), DefaultLibrary))
	copyNeeded(t, root, library)
	for where, start := range map[string]func() (string, error){
		"in a root folder with the library": func() (string, error) { return inRoot(root) },
		"in the system":                     func() (string, error) { return run(t, program), nil },
	} {
		out, err := start()
		if err != nil || !regexp.MustCompile(`^missing=false path="/.*/libibverbs\.so\.1`).MatchString(out) {
			t.Errorf("%s: %v\n%s", where, err, out)
		}
	}
}

// A program that is linked statically would not see the errno of what it loads: it loads nothing, and says why.
func TestWithoutLibraryStatic(t *testing.T) {
	t.Parallel()
	readAll(t, append(packageFiles(t), "testdata/starts/main.go")...)
	for _, flags := range []string{"-static", "-static-pie"} {
		program := filepath.Join(t.TempDir(), "starts")
		build := []string{"build", "-o", program, "-ldflags=-linkmode=external -extldflags=" + flags}
		if flags == "-static-pie" {
			build = append(build, "-buildmode=pie")
		}
		run(t, "go", append(build, "./testdata/starts")...) // the linker warns of dlopen
		if out := run(t, program); !strings.HasPrefix(out, `missing=false path="" n=0 err=`) || !strings.Contains(out, "linked statically") {
			t.Errorf("%s: %s", flags, out)
		}
	}
}

// inRoot runs /starts with root as its root folder. Who is not root gets to do that in a user namespace, where the system lets him.
func inRoot(root string) (string, error) {
	cmd := exec.Command("/starts")
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// copyNeeded copies the libraries that file needs into root, and the dynamic linker.
func copyNeeded(t *testing.T, root, file string) {
	t.Helper()
	needed := regexp.MustCompile(`(?m)(/\S+) \(0x`).FindAllStringSubmatch(run(t, "ldd", file), -1)
	if len(needed) < 2 {
		t.Fatalf("%s needs only %v", file, needed)
	}
	for _, n := range needed {
		copied(t, root, n[1], n[1])
	}
}

// copied copies a file into root, where it has the path to.
func copied(t *testing.T, root, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, filepath.Dir(to)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, to), b, 0o755); err != nil {
		t.Fatal(err)
	}
}
