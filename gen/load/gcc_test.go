package load

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/model"
)

// compilers are the C compilers that the expected numbers come from.
var compilers = map[string]string{
	"amd64": "x86_64-linux-gnu-gcc", "arm64": "aarch64-linux-gnu-gcc", "ppc64le": "powerpc64le-linux-gnu-gcc",
	"riscv64": "riscv64-linux-gnu-gcc", "s390x": "s390x-linux-gnu-gcc",
}

// ask returns the values of integer constant expressions as the compiler for arch has them, in 64 bits, after a prologue.
func ask(t testing.TB, arch, prologue string, exprs []string, flags ...string) ([]uint64, error) {
	t.Helper()
	dir := t.TempDir()
	var src strings.Builder
	src.WriteString(prologue + "\nconst unsigned long long answers[] = {\n")
	for _, e := range exprs {
		fmt.Fprintf(&src, "(unsigned long long)(%s),\n", e)
	}
	src.WriteString("0};\n")
	c, o := filepath.Join(dir, "a.c"), filepath.Join(dir, "a.o")
	if err := os.WriteFile(c, []byte(src.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := compile(arch, c, o, flags).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %v\n%s", compilers[arch], err, out)
	}
	f, err := elf.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := f.Section(".rodata.answers").Data()
	if err != nil {
		t.Fatal(err)
	}
	vals := make([]uint64, len(exprs)+1)
	if err := binary.Read(bytes.NewReader(b), f.ByteOrder, vals); err != nil {
		t.Fatal(err)
	}
	return vals[:len(exprs)], nil
}

func compile(arch, c, o string, flags []string) *exec.Cmd {
	return exec.Command(compilers[arch], append(flags, "-w", "-c", "-fdata-sections", "-o", o, c)...)
}

// questions lists C expressions about a model, and what the model answers on arch.
func questions(m *model.Model, arch string) (exprs []string, want []uint64) {
	add := func(v uint64, format string, args ...any) {
		exprs, want = append(exprs, fmt.Sprintf(format, args...)), append(want, v)
	}
	for _, a := range m.Aggregates {
		if a.Opaque {
			continue
		}
		c := aggregateName(a)
		add(uint64(a.Size.At(arch)), "sizeof(%s)", c)
		add(uint64(a.Align.At(arch)), "_Alignof(%s)", c)
		members(a, arch, c, "", 0, add)
	}
	for _, e := range m.Enums {
		for _, en := range e.Enumerators {
			add(en.Value.Uint64(), "%s", en.Name)
			neg := uint64(0)
			if en.Value.Neg() {
				neg = 1
			}
			add(neg, "%s < 0", en.Name)
		}
		if e.Name != "" {
			c := "enum " + e.Name
			if e.Typedef {
				c = e.Name
			}
			sign := uint64(0)
			if e.Signed {
				sign = 1
			}
			add(uint64(e.Size), "sizeof(%s)", c)
			add(sign, "(%s)-1 < 0", c)
		}
	}
	for _, k := range m.Consts {
		add(k.Value.Uint64(), "%s", k.Name)
		neg := uint64(0)
		if k.Value.Neg() {
			neg = 1
		}
		add(neg, "(%s) < 0", k.Name)
		if k.Type.Kind == model.Scalar {
			add(1, "__builtin_types_compatible_p(__typeof__(%s), %s)", k.Name, k.Type.Name)
		}
	}
	return exprs, want
}

func aggregateName(a model.Aggregate) string {
	switch {
	case a.Typedef:
		return a.Name
	case a.Union:
		return "union " + a.Name
	}
	return "struct " + a.Name
}

func members(a model.Aggregate, arch, c, prefix string, base int64, add func(uint64, string, ...any)) {
	for _, f := range a.Members {
		off := base + f.Offset.At(arch)
		if f.Name == "" {
			members(*f.Type.Body, arch, c, prefix, off, add)
			continue
		}
		if f.Bits != nil {
			continue
		}
		path := prefix + f.Name
		add(uint64(off), "__builtin_offsetof(%s, %s)", c, path)
		if f.Type.Kind != model.Array || f.Type.Len >= 0 {
			add(uint64(f.Size.At(arch)), "sizeof(((%s *)0)->%s)", c, path)
		}
		if f.Type.Body != nil {
			members(*f.Type.Body, arch, c, path+".", off, add)
		}
	}
}

// A bitField is a bit-field of a named aggregate, by the path to it.
type bitField struct {
	c, path string
	first   int64
	bits    model.Bits
	boolean bool
}

func bitFields(a model.Aggregate, arch, c, prefix string, base int64) (list []bitField) {
	for _, f := range a.Members {
		off := base + f.Offset.At(arch)
		switch {
		case f.Bits != nil:
			list = append(list, bitField{c, prefix + f.Name, 8*base + f.Bits.Pos.At(arch), *f.Bits, f.Type.Name == "_Bool"})
		case f.Type.Body != nil && f.Name == "":
			list = append(list, bitFields(*f.Type.Body, arch, c, prefix, off)...)
		case f.Type.Body != nil:
			list = append(list, bitFields(*f.Type.Body, arch, c, prefix+f.Name+".", off)...)
		}
	}
	return list
}

// agreeBits compares the places of bit-fields with objects that the compiler for arch has filled.
func agreeBits(t *testing.T, m *model.Model, prologue, arch string, flags []string) {
	t.Helper()
	var list []bitField
	for _, a := range m.Aggregates {
		list = append(list, bitFields(a, arch, aggregateName(a), "", 0)...)
	}
	if len(list) == 0 {
		return
	}
	dir := t.TempDir()
	var src strings.Builder
	src.WriteString(prologue + "\n")
	for i, f := range list {
		ones := "-1"
		if f.boolean {
			ones = "1"
		}
		fmt.Fprintf(&src, "const %s object%d = {.%s = %s};\n", f.c, i, f.path, ones)
	}
	c, o := filepath.Join(dir, "b.c"), filepath.Join(dir, "b.o")
	if err := os.WriteFile(c, []byte(src.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := compile(arch, c, o, flags).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", arch, err, out)
		return
	}
	file, err := elf.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for i, f := range list {
		data, err := file.Section(fmt.Sprintf(".rodata.object%d", i)).Data()
		if err != nil {
			t.Fatal(err)
		}
		for bit := range int64(8 * len(data)) {
			set := data[bit/8]>>(bit%8)&1 != 0
			if file.ByteOrder == binary.BigEndian {
				set = data[bit/8]>>(7-bit%8)&1 != 0
			}
			want := bit >= f.first && bit < f.first+int64(f.bits.Width)
			if set != want {
				t.Errorf("%s: bit-field %s of %s is not bits %d to %d", arch, f.path, f.c, f.first, f.first+int64(f.bits.Width)-1)
				break
			}
		}
	}
}

// agree compares a model with every compiler.
func agree(t *testing.T, m *model.Model, prologue string, archs []string, flags ...string) {
	t.Helper()
	for _, arch := range archs {
		agreeBits(t, m, prologue, arch, flags)
		exprs, want := questions(m, arch)
		got, err := ask(t, arch, prologue, exprs, flags...)
		if err != nil {
			t.Errorf("%s: %v", arch, err)
			continue
		}
		for i := range exprs {
			if got[i] != want[i] {
				t.Errorf("%s: %s = %d, the compiler has %d", arch, exprs[i], int64(want[i]), int64(got[i]))
			}
		}
	}
}

func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "h.h")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// askedArchs are the architectures whose compilers are asked: this machine's, and with IBV_CROSS=1 ('make test-arch') all.
func askedArchs() []string {
	if os.Getenv("IBV_CROSS") == "" {
		return []string{runtime.GOARCH}
	}
	return model.Archs
}
