//go:build kernel

// Package kernel tests the scripts that run tests under a kernel in QEMU: whatever becomes of a guest is reported as it is. Parts of this
// binary run in there.
package kernel

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestGuest is what runs in a guest: the act that IBV_GUEST names.
func TestGuest(t *testing.T) {
	act := os.Getenv("IBV_GUEST")
	if act == "" {
		t.Skip("not in a guest")
	}
	t.Log("in the guest")
	switch act {
	case "pass":
	case "fail":
		t.Error("a test that fails")
	case "exit 4": // by QEMU's exit status, 137, this could pass for a killed process
		os.Exit(4)
	case "exit 255":
		os.Exit(255)
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "panic":
		write(t, "/proc/sysrq-trigger", 0, "c")
	case "power off":
		powerOff()
	case "exit status only": // QEMU's exit status of a test that has passed
		write(t, "/dev/port", 0xf4, "\x40")
	case "line only":
		write(t, "/dev/console", 0, "\n@end 0 at 1.00\n")
		time.Sleep(time.Second)
		powerOff()
	}
	if act != "pass" && act != "fail" {
		time.Sleep(time.Hour)
	}
}

func write(t *testing.T, file string, at int64, text string) {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(at, io.SeekStart); err != nil && at != 0 {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func powerOff() { syscall.Reboot(syscall.LINUX_REBOOT_CMD_POWER_OFF) }

// A result is what a command has ended with.
type result struct {
	status         int
	stdout, stderr string
	took           time.Duration
}

// run runs a command by exec.sh, with additions to the environment, in a folder.
func run(t *testing.T, dir string, env []string, command ...string) result {
	t.Helper()
	script, err := filepath.Abs("exec.sh")
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	c := exec.Command(script, command...)
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, append(os.Environ(), env...), &stdout, &stderr
	start := time.Now()
	if err := c.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return result{c.ProcessState.ExitCode(), stdout.String(), stderr.String(), time.Since(start)}
}

// act runs one of TestGuest's acts.
func act(t *testing.T, name string, env ...string) result {
	t.Helper()
	return run(t, "", append(env, "IBV_GUEST="+name), os.Args[0], "-test.run=^TestGuest$", "-test.v")
}

// want wants an exit status, and texts in the output and on stderr.
func (r result) want(t *testing.T, status int, stdout, stderr string) {
	t.Helper()
	if r.status != status || !strings.Contains(r.stdout, stdout) || !strings.Contains(r.stderr, stderr) {
		t.Errorf("status %d, want %d\nstdout, which should have %q:\n%s\nstderr, which should have %q:\n%s", r.status, status, stdout, r.stdout, stderr, r.stderr)
	}
}

func TestActs(t *testing.T) {
	pass := act(t, "pass")
	pass.want(t, 0, "--- PASS: TestGuest", "")
	if pass.stderr != "" || t.Failed() {
		t.Fatalf("without a guest that starts there is nothing to test: %s", pass.stderr)
	}
	const none = "no result from the guest"
	for _, c := range []struct {
		act            string
		status         int
		stdout, stderr string
	}{
		{"fail", 1, "--- FAIL: TestGuest", ""},
		{"exit 4", 4, "in the guest", ""},
		{"exit 255", 255, "in the guest", ""},
		{"kill", 137, "in the guest", "killed by SIGKILL"},
		{"panic", 97, "in the guest", "Kernel panic - not syncing: sysrq triggered crash"},
		{"power off", 97, "in the guest", none},
		{"exit status only", 97, "in the guest", none + ": QEMU ended with 129, the guest said ''"},
		{"line only", 97, "in the guest", none + ": QEMU ended with 0, the guest said '0'"},
	} {
		t.Run(c.act, func(t *testing.T) {
			t.Parallel()
			r := act(t, c.act)
			r.want(t, c.status, c.stdout, c.stderr)
			if told := strings.Contains(r.stderr, "the console's last lines:"); told != (c.status == 97) {
				t.Errorf("the console's last lines were told: %v\n%s", told, r.stderr)
			}
		})
	}
	t.Run("hang", func(t *testing.T) {
		t.Parallel()
		limit := 2*pass.took + 5*time.Second
		act(t, "hang", "IBV_VM_LIMIT="+strconv.Itoa(int(limit.Seconds()))).want(t, 124, "in the guest", "the time limit of ")
	})
}

// The folder, arguments and chosen variables arrive as they are, and so does the output, all of it. A command need not be Go's to be killed.
func TestExact(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a 'folder'")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	const script = `pwd; printf '<%s>\n' "$@" "$IBV_A" "$OTHER" "$UNNAMED"; printf '\t\r\n\0\377'; id -u; seq 20000; kill -SEGV $$`
	env := []string{"IBV_A=1 '2'\n\"$3\"", "OTHER=other", "UNNAMED=unnamed", "IBV_VM_ENV=OTHER NOTSET"}
	r := run(t, dir, env, "sh", "-c", script, "sh", "a b", "c'd\"", "$e `f`", "g\nh\\", "", "*", "ä")
	var want strings.Builder
	want.WriteString(dir + "\n<a b>\n<c'd\">\n<$e `f`>\n<g\nh\\>\n<>\n<*>\n<ä>\n<1 '2'\n\"$3\">\n<other>\n<>\n\t\r\n\x00\xff0\n")
	for i := range 20000 {
		fmt.Fprintln(&want, i+1)
	}
	want.WriteString("Segmentation fault\n")
	if r.stdout != want.String() {
		t.Errorf("got %d bytes: %.200q\nwant %d: %.200q", len(r.stdout), r.stdout, want.Len(), want.String())
	}
	r.want(t, 139, "", "killed by SIGSEGV")
}

// The guest can write to its own /tmp and nowhere else, whatever it tries; nothing of that gets to the host.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	f, err := os.CreateTemp("/var/tmp", "ibv")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	defer os.Remove(f.Name())
	file := filepath.Join("/tmp", filepath.Base(f.Name()))
	defer os.Remove(file)
	r := run(t, "/", nil, "sh", "-c", "echo x >$1 && cat $1; mount -o remount,rw / && grep ' / .* rw,' /proc/mounts; echo x >$2", "sh", file, f.Name())
	r.want(t, 2, "x\n", "")
	r.want(t, 2, " rw,", "")
	r.want(t, 2, "cannot create "+f.Name()+": Read-only file system", "")
	if b, err := os.ReadFile(f.Name()); err != nil || len(b) > 0 {
		t.Errorf("the host's file has %q, %v", b, err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Errorf("the host has the guest's %s", file)
	}
}

// go test itself sees the failure.
func TestGoTest(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs("exec.sh")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "test", "-tags", "kernel", "-count=1", "-run", "^TestGuest$", "-exec", "'"+script+"'", ".")
	c.Env = append(os.Environ(), "IBV_GUEST=fail")
	out, err := c.CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("--- FAIL: TestGuest")) || !bytes.Contains(out, []byte("\nFAIL\tgithub.com/goverbs/ibv/scripts/kernel")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// vm makes a folder for IBV_VM_DIR with links to the kernel and initrd of the real one, which may be replaced.
func vm(t *testing.T) string {
	t.Helper()
	kernel := os.Getenv("KERNEL")
	if kernel == "" {
		kernel = "6.12"
	}
	real, err := filepath.Abs(filepath.Join("../../.cache/kernel", strings.ReplaceAll(kernel, "/", ":")))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"vmlinux", "initrd.gz"} {
		if err := os.Symlink(filepath.Join(real, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func replace(t *testing.T, file string, b []byte) {
	t.Helper()
	if err := os.WriteFile(file, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// What does not start is no pass.
func TestBroken(t *testing.T) {
	for _, c := range []struct {
		name   string
		file   string
		change func(t *testing.T, b []byte) []byte
		stderr string
	}{
		{"half an initrd", "initrd.gz", func(_ *testing.T, b []byte) []byte { return b[:len(b)/2] }, "Kernel panic - not syncing"},
		{"a module that is not there", "initrd.gz", addOrder, "@init: none.ko does not load"},
		{"no kernel", "vmlinux", func(*testing.T, []byte) []byte { return []byte("no kernel") }, "no result from the guest"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := vm(t)
			file := filepath.Join(dir, c.file)
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(file); err != nil { // the link
				t.Fatal(err)
			}
			replace(t, file, c.change(t, b))
			r := act(t, "pass", "IBV_VM_DIR="+dir)
			r.want(t, 97, "", c.stderr)
			if r.stdout != "" {
				t.Errorf("output %q", r.stdout)
			}
		})
	}
	t.Run("no initrd", func(t *testing.T) {
		act(t, "pass", "IBV_VM_DIR="+t.TempDir()).want(t, 97, "", "has no initrd.gz")
	})
}

// addOrder appends an archive with a list of modules that has one more.
func addOrder(t *testing.T, b []byte) []byte {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "modules"), 0o777); err != nil {
		t.Fatal(err)
	}
	replace(t, filepath.Join(dir, "modules/order"), []byte("none.ko\n"))
	c := exec.Command("sh", "-c", "echo modules/order | cpio -o -H newc --quiet | gzip")
	c.Dir = dir
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	return append(b, out...)
}

// A runner that is killed, as go test does after its -timeout, takes QEMU with it.
func TestKilledRunner(t *testing.T) {
	t.Parallel()
	dir := vm(t)
	c := exec.Command("./exec.sh", "sleep", "1000")
	c.Env = append(os.Environ(), "IBV_VM_DIR="+dir, "TMPDIR="+t.TempDir()) // where it leaves files
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	wait(t, "QEMU", func() bool { return runs(dir) })
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	wait(t, "end of QEMU", func() bool { return !runs(dir) })
}

// runs tells whether a QEMU has a kernel of this folder.
func runs(dir string) bool {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && bytes.HasPrefix(b, []byte("qemu-")) && bytes.Contains(b, []byte(dir)) {
			return true
		}
	}
	return false
}

func wait(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !f(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %s in a minute", what)
		}
	}
}
