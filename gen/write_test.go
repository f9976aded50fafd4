package gen

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// tree returns the files below dir with their contents.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestWriteFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.go", "old a")
	put(t, dir, "same.go", "same")
	put(t, dir, "stale.go", "stale")
	before := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(filepath.Join(dir, "same.go"), before, before); err != nil {
		t.Fatal(err)
	}
	changed, err := WriteFiles(dir, map[string][]byte{"a.go": []byte("new a"), "same.go": []byte("same"), "records/1.json": []byte("{}"),
		"stale.go": nil, "never.go": nil})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a.go", "records/1.json", "stale.go"}, changed); d != "" {
		t.Errorf("changed (-want +got):\n%s", d)
	}
	want := map[string]string{"a.go": "new a", "same.go": "same", "records/1.json": "{}"}
	if d := cmp.Diff(want, tree(t, dir)); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	if info, err := os.Stat(filepath.Join(dir, "same.go")); err != nil || !info.ModTime().Equal(before) {
		t.Errorf("same.go was touched: %v %v", info.ModTime(), err)
	}
	if info, err := os.Stat(filepath.Join(dir, "a.go")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a.go lost its mode: %v %v", info.Mode(), err)
	}
}

// Whichever rename fails, the old files are there afterwards, and nothing else.
func TestWriteFilesRollsBack(t *testing.T) {
	files := map[string][]byte{"0.go": nil, "a.go": []byte("new a"), "b.go": []byte("new b"), "c.go": []byte("new c")}
	for fail := range 3 {
		dir := t.TempDir()
		put(t, dir, "0.go", "old 0")
		put(t, dir, "a.go", "old a")
		put(t, dir, "c.go", "old c")
		n := 0
		rename = func(from, to string) error {
			n++
			if n == fail+1 {
				return &os.LinkError{Op: "rename", Old: from, New: to, Err: errors.New("no space left")}
			}
			return os.Rename(from, to)
		}
		changed, err := WriteFiles(dir, files)
		rename = os.Rename
		if err == nil || changed != nil {
			t.Fatalf("rename %d fails: WriteFiles = %v, %v", fail, changed, err)
		}
		names := []string{"a.go", "b.go", "c.go"}
		if want := "cannot write " + filepath.Join(dir, names[fail]) + ": no space left"; err.Error() != want {
			t.Errorf("error %q, want %q", err, want)
		}
		if d := cmp.Diff(map[string]string{"0.go": "old 0", "a.go": "old a", "c.go": "old c"}, tree(t, dir)); d != "" {
			t.Errorf("rename %d fails: files (-want +got):\n%s", fail, d)
		}
	}
}

func TestWriteFilesRefuses(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "file", "a file")
	if err := os.MkdirAll(filepath.Join(dir, "b.go"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		dir, want string
	}{
		{filepath.Join(dir, "file"), "cannot write " + filepath.Join(dir, "file", "a.go") + ": not a directory"},
		{filepath.Join(dir, "file", "deeper"), "cannot write " + filepath.Join(dir, "file", "deeper", "a.go") + ": not a directory"},
		{dir, "cannot write " + filepath.Join(dir, "b.go") + ": it is no regular file"},
	}
	for _, tt := range tests {
		_, err := WriteFiles(tt.dir, map[string][]byte{"a.go": []byte("a"), "b.go": []byte("b")})
		if err == nil || err.Error() != tt.want {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
	if d := cmp.Diff(map[string]string{"file": "a file"}, tree(t, dir)); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}
