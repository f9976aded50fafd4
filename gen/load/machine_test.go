package load

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/goverbs/ibv/gen/model"
)

// What a header's folders are called says nothing; what it is included as, below a folder that is searched, does.
func TestFolderNames(t *testing.T) {
	for _, name := range []string{"asm", "bits", "gnu", "gnu/sys"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "procfs.h")
		if err := os.WriteFile(path, []byte("struct s { int x; };\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{
			{Header: path}, {Header: "procfs.h", Include: []string{dir}},
			{Header: filepath.Join(filepath.Base(dir), "procfs.h"), Include: []string{filepath.Dir(dir)}},
		} {
			if m, err := Load(o); err != nil || len(m.Aggregates) != 1 {
				t.Errorf("%+v: %v", o, err)
			}
		}
	}
}

// The machine's own headers are refused where the user has given their folder, too.
func TestMachineFolders(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "root", "bits"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "root", "bits", "mine.h"), []byte("struct mine { int x; };\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	path := write(t, "#include <bits/mine.h>\nstruct s { struct mine m; };\n")
	_, err := Load(Options{Header: path, Include: []string{filepath.Join(dir, "root")}, Archs: model.Archs})
	checkError(t, path, err, "struct mine: its layout on [a-z0-9]+ is not known")
}
