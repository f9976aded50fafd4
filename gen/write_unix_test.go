//go:build unix

package gen

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A link stays and what it points to is written; a device or pipe is neither read nor replaced.
func TestWriteFilesThroughLinks(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "real/a.go", "old")
	if err := os.Symlink(filepath.Join("real", "a.go"), filepath.Join(dir, "a.go")); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteFiles(dir, map[string][]byte{"a.go": []byte("new")}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "real", "a.go")); string(got) != "new" {
		t.Errorf("the link's target has %q, want new", got)
	}
	if info, err := os.Lstat(filepath.Join(dir, "a.go")); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	pipe := filepath.Join(dir, "pipe.go")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, "/dev/full"} {
		before, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = WriteFiles(filepath.Dir(path), map[string][]byte{filepath.Base(path): []byte("new")})
		if want := "cannot write " + path + ": it is no regular file"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		if after, err := os.Lstat(path); err != nil || after.Mode() != before.Mode() {
			t.Errorf("%s became %v, %v", path, after.Mode(), err)
		}
	}
}
