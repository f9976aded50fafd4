//go:build linux && cgo

package cverbs

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// edited returns a copy of file with its bytes changed by edit.
func edited(t *testing.T, file string, edit func([]byte) []byte) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "libibverbs.so.1")
	write(t, path, string(edit(b)))
	return path
}

func put16(at int, v uint16) func([]byte) []byte {
	return func(b []byte) []byte { binary.NativeEndian.PutUint16(b[at:], v); return b }
}

func put64(at int, v uint64) func([]byte) []byte {
	return func(b []byte) []byte { binary.NativeEndian.PutUint64(b[at:], v); return b }
}

func setByte(at int, v byte) func([]byte) []byte {
	return func(b []byte) []byte { b[at] = v; return b }
}

// Offsets in an ELF64 header, by the ELF specification, and errno values as Linux has them.
const (
	elfClass, elfData                = 4, 5
	elfType, elfMachine              = 16, 18
	elfPhoff, elfPhentsize, elfPhnum = 32, 54, 56

	enoent, enosys, elibacc = "2", "38", "79"
)

// What stubs fail with that have nothing to call.
var lackingLibrary, lackingSymbol = strconv.Itoa(noLibrary), strconv.Itoa(noSymbol)

// Each of these is loaded in a process of its own, and so is the verb that needs it.
func TestBadLibrary(t *testing.T) {
	good := verbsLike.build(t, "libibverbs.so.1")
	dir := t.TempDir()
	text := filepath.Join(dir, "text.so")
	write(t, text, strings.Repeat("This is no library.\n", 100))
	short := filepath.Join(dir, "short")
	write(t, short, "No")
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	write(t, filepath.Join(dir, "program.c"), "int main(void) { return 0; }\n")
	run(t, "gcc", "-pie", "-fPIE", "-o", program, filepath.Join(dir, "program.c"))
	needs := filepath.Join(dir, "needs.so")
	write(t, filepath.Join(dir, "needs.c"), "void absent(void); void *ibv_alloc_pd(void) { absent(); return 0; }\n")
	run(t, "gcc", "-shared", "-fPIC", "-o", needs, filepath.Join(dir, "needs.c"))

	cases := []struct {
		name, path string
		want       Reason
		detail     string // part of the message
	}{
		{"missing", filepath.Join(dir, "absent.so"), Missing, "apt-get install libibverbs1 ibverbs-providers"},
		{"below a file", filepath.Join(text, "x.so"), Missing, "Not a directory"},
		{"missing by name", "libibverbs-absent.so.1", Missing, "apt-get install libibverbs1 ibverbs-providers"},
		{"text", text, NotLibrary, "not an ELF file"},
		{"two bytes", short, NotLibrary, "not an ELF file"},
		{"folder", dir, NotLibrary, "not a regular file"},
		{"fifo", fifo, NotLibrary, "not a regular file"},
		{"device", "/dev/null", NotLibrary, "not a regular file"},
		{"loop of links", loop, Unreadable, "symbolic links"},
		{"long path", "/" + strings.Repeat("x/", 4000), Unreadable, "File name too long"},
		{"empty", edited(t, good, func([]byte) []byte { return nil }), Truncated, "empty"},
		{"half a header", edited(t, good, func(b []byte) []byte { return b[:40] }), Truncated, "40 bytes"},
		{"half", edited(t, good, func(b []byte) []byte { return b[:len(b)/4] }), Truncated, "too few"},
		{"program headers far away", edited(t, good, put64(elfPhoff, 1<<40)), Truncated, "program headers"},
		{"program headers past the end of memory", edited(t, good, put64(elfPhoff, 1<<64-8)), Truncated, "program headers"},
		{"many program headers", edited(t, good, put16(elfPhnum, 65535)), Truncated, "too few"},
		{"no program headers", edited(t, good, put16(elfPhnum, 0)), NotLibrary, "damaged"},
		{"short program headers", edited(t, good, put16(elfPhentsize, 8)), NotLibrary, "damaged"},
		{"other machine", edited(t, good, put16(elfMachine, 92 /* OpenRISC */)), WrongArchitecture, "machine 92"},
		{"32 bits", edited(t, good, setByte(elfClass, 1)), WrongArchitecture, "ELF class 1"},
		{"other byte order", edited(t, good, func(b []byte) []byte { b[elfData] = 3 - b[elfData]; return b }), WrongArchitecture, "data"},
		{"executable", edited(t, good, put16(elfType, 2 /* ET_EXEC */)), NotLibrary, "type 2"},
		{"position-independent executable", program, Unloadable, "program"},
		{"undefined symbol", needs, Unloadable, "absent"},
		{"another library", shared{"libother.so", map[string]string{"other": "OTHER_1"}}.build(t, "other.so"), NotVerbs, "none of the verbs"},
		{"functions without the versions", shared{"libibverbs.so.1", map[string]string{"ibv_alloc_pd": "OTHER_1"}}.build(t, "lib.so"), NotVerbs, "none"},
	}
	for _, c := range cases {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			r := child(t, nil, "set "+c.path, "load", "load", "null ibv_alloc_pd "+lackingLibrary, "has ibv_alloc_pd", "loaded")
			if r[0].Err != "" {
				t.Errorf("to choose it, which loads nothing, is an error: %s", r[0].Err)
			}
			for _, o := range r[1:4] {
				if !o.Typed || o.Reason != c.want || !o.NoLibrary || o.OtherLibrary || o.NotSupported {
					t.Errorf("%+v, want a LibraryError with reason %v that is ErrNoLibrary", o, c.want)
				}
				if !strings.Contains(o.Err, strings.TrimSuffix(c.path, "/")[:min(len(c.path)-1, 100)]) || !strings.Contains(o.Err, c.detail) || strings.Contains(o.Err, "\n") {
					t.Errorf("%s, want one line with the path and %q", o.Err, c.detail)
				}
			}
			if want := "ibv_alloc_pd: needs ibv_alloc_pd@IBVERBS_1.1 of rdma-core 33.2 or newer: "; !strings.HasPrefix(r[3].Err, want) || !r[3].OS {
				t.Errorf("%+v, want an error that starts with %q", r[3], want)
			}
			if r[4].Value != "false" || r[5].Value != "" {
				t.Errorf("has ibv_alloc_pd: %s, loaded %q", r[4].Value, r[5].Value)
			}
		})
	}
}

// loadedSize returns how many bytes of an ELF file are mapped.
func loadedSize(t *testing.T, path string) int {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	end := 0
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			end = max(end, int(p.Off+p.Filesz))
		}
	}
	return end
}

// A library that was cut anywhere within what has to be loaded is refused: the dynamic linker would crash on most of these.
func TestEveryTruncation(t *testing.T) {
	good := verbsLike.build(t, "libibverbs.so.1")
	b, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	end := loadedSize(t, good)
	dir := t.TempDir()
	var lines []string
	var sizes []int
	for n := 0; n < end; n += 97 {
		sizes = append(sizes, n)
	}
	for _, n := range append(sizes, end-1) {
		path := filepath.Join(dir, "cut-"+strconv.Itoa(n))
		write(t, path, string(b[:n]))
		lines = append(lines, "set "+path, "load")
	}
	r := child(t, nil, lines...)
	for i := 1; i < len(r); i += 2 {
		if r[i-1].Err != "" || r[i].Reason != Truncated {
			t.Errorf("%s: %+v, %+v, want Truncated", lines[i-1], r[i-1], r[i])
		}
	}
}

// What was chosen or loaded stays; a failure can be mended.
func TestOneLibrary(t *testing.T) {
	a, b := verbsLike.build(t, "libibverbs.so.1"), verbsLike.build(t, "libibverbs.so.1")
	noName := shared{"", verbsLike.symbols}.build(t, "noname.so")
	link := filepath.Join(t.TempDir(), "link.so")
	if err := os.Symlink(a, link); err != nil {
		t.Fatal(err)
	}
	providers := t.TempDir()
	write(t, filepath.Join(providers, "libx-rdmav34.so"), "")
	others := t.TempDir()
	write(t, filepath.Join(others, "libx-rdmav34.so"), "")
	gone := filepath.Join(t.TempDir(), "gone.so")

	// After each step stands the reason that is wanted, 0 if it is to go well.
	cases := []struct {
		name  string
		steps []string
		want  []Reason
	}{
		{"the same path twice", []string{"set " + a, "set " + a, "load", "set " + a, "load"}, []Reason{0, 0, 0, 0, 0}},
		{"a link to it", []string{"set " + a, "set " + link, "load", "set " + link}, []Reason{0, 0, 0, 0}},
		{"two paths", []string{"set " + a, "set " + b, "load"}, []Reason{0, AlreadyChosen, 0}},
		{"path and name", []string{"set " + a, "set libother.so.1", "set ", "load"}, []Reason{0, AlreadyChosen, AlreadyChosen, 0}},
		{"two paths that are not there", []string{"set " + gone, "set " + gone + "2"}, []Reason{0, AlreadyChosen}},
		{"two folders", []string{"set " + a + " " + providers, "set " + a + " " + providers, "set " + a, "set " + a + " " + others},
			[]Reason{0, 0, 0, AlreadyChosen}},
		{"folder too late", []string{"set " + a, "load", "set " + a + " " + providers}, []Reason{0, 0, AlreadyChosen}},
		{"path after first use", []string{"set " + a, "has ibv_alloc_pd", "set " + b, "set libother.so.1", "set " + gone, "set "},
			[]Reason{0, 0, AlreadyChosen, AlreadyChosen, AlreadyChosen, 0}},
		{"default after a library without that name", []string{"set " + noName, "load", "set "}, []Reason{0, 0, AlreadyChosen}},
		{"failure, mended", []string{"set " + gone, "load", "load", "set " + a, "load", "set " + b}, []Reason{0, Missing, Missing, 0, 0, AlreadyChosen}},
		{"bad folder keeps the choice", []string{"set " + a, "set " + b + " " + gone, "set " + b, "load"}, []Reason{0, BadPath, AlreadyChosen, 0}},
		{"other copy", []string{"open " + b, "set " + a, "load", "load"}, []Reason{0, 0, OtherCopy, OtherCopy}},
		{"other copy, then that", []string{"open " + b, "set " + a, "load", "set " + b, "load"}, []Reason{0, 0, OtherCopy, 0, 0}},
		{"the copy that is there", []string{"open " + a, "set " + link, "load", "set " + a}, []Reason{0, 0, 0, 0}},
		{"the copy that is there, by default", []string{"open " + a, "load", "set " + a, "set " + b}, []Reason{0, 0, 0, AlreadyChosen}},
		{"bad path beside a copy", []string{"open " + a, "set " + gone, "load"}, []Reason{0, 0, OtherCopy}},
	}
	for _, c := range cases {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			for i, o := range child(t, nil, c.steps...) {
				if o.Reason != c.want[i] || (o.Err != "") != (c.want[i] != 0) {
					t.Errorf("step %d, %s: %v %s, want %v", i, c.steps[i], o.Reason, o.Err, c.want[i])
				}
				if other := o.Reason == AlreadyChosen || o.Reason == OtherCopy; other != o.OtherLibrary || other == o.NoLibrary && o.Err != "" {
					t.Errorf("step %d, %s: %+v", i, c.steps[i], o)
				}
			}
		})
	}
}

// The message of a conflict names both libraries.
func TestConflictNamesBoth(t *testing.T) {
	a, b := verbsLike.build(t, "libibverbs.so.1"), verbsLike.build(t, "libibverbs.so.1")
	for _, steps := range [][]string{{"set " + a, "set " + b}, {"set " + a, "load", "set " + b}, {"open " + a, "set " + b, "load"}} {
		r := child(t, nil, steps...)
		if err := r[len(r)-1].Err; !strings.Contains(err, a) || !strings.Contains(err, b) {
			t.Errorf("%q: %s, want both paths", steps, err)
		}
	}
}

// A library that lacks functions is used for the others, and the error of a lacking one says what is wanted.
func TestLackingSymbol(t *testing.T) {
	a := verbsLike.build(t, "libibverbs.so.1")
	r := child(t, nil, "set "+a, "has ibv_get_device_list", "has ibv_alloc_pd", "has ibv_set_ece", "all", "loaded",
		"null ibv_alloc_pd "+lackingSymbol, "null ibv_set_ece "+lackingSymbol, "null ibv_alloc_pd "+enoent, "null ibv_get_device_list "+enosys,
		"null ibv_alloc_pd "+enosys, "null ibv_alloc_pd "+elibacc)
	if r[1].Value != "true" || r[2].Value != "false" || r[5].Value != a {
		t.Errorf("%+v", r)
	}
	if r[3].Value != "false" {
		t.Error("a symbol of another version is taken")
	}
	if want := "ibv_free_device_list@IBVERBS_1.1 ibv_get_device_list@IBVERBS_1.1"; r[4].Value != want {
		t.Errorf("found %s, want %s", r[4].Value, want)
	}
	for i, want := range map[int]string{
		6: "ibv_alloc_pd: " + a + " has no ibv_alloc_pd@IBVERBS_1.1, which came with rdma-core 33.2: ",
		7: "ibv_set_ece: " + a + " has no ibv_set_ece@IBVERBS_1.10, which came with rdma-core 33.2: ",
		8: "ibv_alloc_pd: no such file or directory",
		9: "ibv_get_device_list: function not implemented",
		// The same values, given back by a function that is there, say nothing of the library.
		10: "ibv_alloc_pd: function not implemented",
		11: "ibv_alloc_pd: can not access a needed shared library",
	} {
		if !strings.HasPrefix(r[i].Err, want) || r[i].NotSupported != (i != 8 && i != 11) || r[i].NoLibrary {
			t.Errorf("%+v, want an error that starts with %q", r[i], want)
		}
	}
}

func TestLoadAtOnce(t *testing.T) {
	a := verbsLike.build(t, "libibverbs.so.1")
	for range 5 {
		r := child(t, nil, "set "+a, "race ibv_get_device_list")
		if want := strings.Repeat("t", 64); r[1].Value != want {
			t.Errorf("%s, want %s", r[1].Value, want)
		}
	}
	if r := child(t, nil, "set "+a+"x", "race ibv_get_device_list", "load"); r[1].Value != strings.Repeat("f", 64) || r[2].Reason != Missing {
		t.Errorf("%+v", r)
	}
}

// A relative path is the file that it was when it was chosen.
func TestRelativePath(t *testing.T) {
	a := verbsLike.build(t, "libibverbs.so.1")
	r := child(t, nil, "chdir "+filepath.Dir(a), "set ./libibverbs.so.1", "chdir /", "load", "loaded")
	if r[3].Err != "" || r[4].Value != a {
		t.Errorf("%+v", r)
	}
}

// The default is found where the dynamic linker looks.
func TestDefaultName(t *testing.T) {
	a := verbsLike.build(t, "libibverbs.so.1")
	r := child(t, []string{"LD_LIBRARY_PATH=" + filepath.Dir(a)}, "loaded", "load", "loaded", "list")
	if r[0].Value != "" || r[1].Err != "" || r[2].Value != a || r[3].Err != "ibv_get_device_list: failed without an errno value" {
		t.Errorf("%+v", r)
	}
}

// A copy that is found by another name is refused as well.
func TestOtherName(t *testing.T) {
	a := verbsLike.build(t, "libibverbs.so.1")
	b := shared{"libverbscopy.so", verbsLike.symbols}.build(t, "libverbscopy.so")
	env := []string{"LD_LIBRARY_PATH=" + filepath.Dir(b)}
	if r := child(t, env, "open "+a, "set libverbscopy.so", "load", "loaded"); r[2].Reason != OtherCopy || r[3].Value != "" {
		t.Errorf("%+v", r)
	}
	if r := child(t, env, "set libverbscopy.so", "load", "loaded", "set libverbscopy.so", "set "+b); r[1].Err != "" || r[2].Value != b || r[3].Err != "" || r[4].Err != "" {
		t.Errorf("%+v", r)
	}
}
