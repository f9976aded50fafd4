//go:build linux && cgo

package cverbs

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Libraries are looked for by name in folders of which the first has a bad file. It is refused, or passed over, as the dynamic linker
// does; either way nothing crashes or waits.
func TestByName(t *testing.T) {
	good := verbsLike.build(t, "libibverbs.so.1")
	in := func(edit func([]byte) []byte) string { return filepath.Dir(edited(t, good, edit)) }
	fifo, loop, folder, text := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	name := DefaultLibrary
	if err := syscall.Mkfifo(filepath.Join(fifo, name), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(name, filepath.Join(loop, name)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(text, name), strings.Repeat("This is no library.\n", 100))
	for _, c := range []struct {
		name, bad string
		want      Reason
		passed    bool // if another folder has the library
	}{
		{"truncated", in(func(b []byte) []byte { return b[:len(b)/4] }), Truncated, false},
		{"empty", in(func([]byte) []byte { return nil }), Truncated, false},
		{"fifo", fifo, NotLibrary, false},
		{"folder", folder, NotLibrary, false},
		{"text", text, NotLibrary, false},
		{"loop of links", loop, Unreadable, false},
		{"other machine", in(put16(elfMachine, 92 /* OpenRISC */)), WrongArchitecture, true},
		{"32 bits", in(setByte(elfClass, 1)), WrongArchitecture, true},
		{"other byte order", in(func(b []byte) []byte { b[elfData] = 3 - b[elfData]; return b }), WrongArchitecture, false},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			// Under another name, so that no installed library is found instead.
			alone := t.TempDir()
			other := "libibverbs-of-tests.so.1"
			if err := os.Symlink(filepath.Join(c.bad, name), filepath.Join(alone, other)); err != nil {
				t.Fatal(err)
			}
			r := child(t, []string{"LD_LIBRARY_PATH=" + alone}, "set "+other, "load", "load")
			for _, o := range r[1:] {
				if o.Reason != c.want || !strings.Contains(o.Err, filepath.Join(alone, other)) || !o.NoLibrary {
					t.Errorf("%+v, want %v and the path", o, c.want)
				}
			}
			r = child(t, []string{"LD_LIBRARY_PATH=" + c.bad + ":" + filepath.Dir(good)}, "load", "loaded")
			if c.want == Unreadable { // ld.so.cache is asked next
				r[0].Reason, r[0].Err = Unreadable, c.bad
			}
			if c.passed && (r[0].Err != "" || r[1].Value != good) || !c.passed && (r[0].Reason != c.want || !strings.Contains(r[0].Err, c.bad)) {
				t.Errorf("before a good one: %+v", r)
			}
			r = child(t, []string{"LD_LIBRARY_PATH=" + filepath.Dir(good) + ":" + c.bad}, "load", "loaded")
			if r[0].Err != "" || r[1].Value != good {
				t.Errorf("after a good one: %+v", r)
			}
			// By path, what has the library's name elsewhere does not matter.
			r = child(t, []string{"LD_LIBRARY_PATH=" + c.bad}, "set "+good, "load", "set ", "loaded")
			if r[1].Err != "" || r[2].Err != "" || r[3].Value != good {
				t.Errorf("beside a path: %+v", r)
			}
		})
	}
}
