package gen

import (
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/model"
)

func TestTypeCheck(t *testing.T) {
	const common = "package p\n\nimport (\n\t\"strconv\"\n\t\"unsafe\"\n)\n\ntype T struct{ A, B word }\n\n" +
		"func (t T) String() string { return strconv.Itoa(int(t.A)) }\n\nvar _ [SIZE]byte = [unsafe.Sizeof(T{})]byte{}\n"
	tests := []struct{ name, size, want string }{
		{"right", "16", ""},
		{"wrong number", "12", "emitted code is wrong on ARCH: x_generated.go:12:18: cannot use [unsafe.Sizeof(T{})]byte{} (value of type [16]byte) as [12]byte value in variable declaration"},
		{"syntax", "}", "emitted code does not parse: x_generated.go:12:8: expected"},
	}
	for _, tt := range tests {
		for _, arch := range model.Archs {
			files := map[string][]byte{
				"x_generated.go":                    []byte(strings.Replace(common, "SIZE", tt.size, 1)),
				"x_generated_" + arch + ".go":       []byte("package p\n\ntype word uint64\n"),
				"x_generated_mips.go":               []byte("package p\n\nvar _ = not_for_us\n"),
				"unsupported_generated.go":          []byte("//go:build !" + arch + "\n\npackage p\n\nvar _ = not_for_us\n"),
				"records/1.json":                    []byte("{}"),
				"x_generated_" + arch + "_test.txt": nil,
			}
			err := TypeCheck(files, []string{arch})
			want := strings.Replace(tt.want, "ARCH", arch, 1)
			if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s on %s: %v, want %q", tt.name, arch, err, want)
			}
		}
	}
}

func BenchmarkTypeCheck(b *testing.B) {
	files := map[string][]byte{"x.go": []byte("package p\n\nimport (\n\t\"fmt\"\n\t\"structs\"\n)\n\ntype T struct{ _ structs.HostLayout }\n\nvar _ = fmt.Sprint\n")}
	for b.Loop() {
		if err := TypeCheck(files, model.Archs); err != nil {
			b.Fatal(err)
		}
	}
}
