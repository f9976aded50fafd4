//go:build linux && cgo

package cverbs

import (
	"bytes"
	"debug/elf"
	"os"
	"strconv"
	"strings"
	"testing"
)

// An object is an ELF file in an archive.
type object struct {
	name      string
	undefined []string // symbols that another object has to define
}

// elfMembers returns the ELF files in an archive as 'go build' makes them: each member has a header of 60 bytes, with its name in
// the first 16 and its size in decimal at 48, and is padded to an even length.
func elfMembers(t *testing.T, archive string) []object {
	t.Helper()
	b, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	b, ok := bytes.CutPrefix(b, []byte("!<arch>\n"))
	if !ok {
		t.Fatalf("%s is no archive", archive)
	}
	var r []object
	for len(b) >= 60 {
		name := strings.TrimRight(string(b[:16]), " /")
		size, err := strconv.Atoi(strings.TrimSpace(string(b[48:58])))
		if err != nil || size < 0 || size > len(b)-60 {
			t.Fatalf("%s: member %q has the size %q", archive, name, b[48:58])
		}
		if text := b[60 : 60+size]; bytes.HasPrefix(text, []byte(elf.ELFMAG)) {
			r = append(r, readObject(t, name, text))
		}
		b = b[min(60+size+size%2, len(b)):]
	}
	return r
}

func readObject(t *testing.T, name string, text []byte) object {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	o := object{name: name}
	for _, s := range symbols {
		if s.Section == elf.SHN_UNDEF && s.Name != "" {
			o.undefined = append(o.undefined, s.Name)
		}
	}
	return o
}
