package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// ErrNoCompiler says that there is no C compiler to ask.
var ErrNoCompiler = errors.New("no C compiler found")

// compileTime bounds one run of the compiler.
const compileTime = 2 * time.Minute

// triples are the GNU names of the architectures, as Debian's cross compilers carry them.
var triples = map[string]string{
	"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu", "ppc64le": "powerpc64le-linux-gnu",
	"riscv64": "riscv64-linux-gnu", "s390x": "s390x-linux-gnu",
}

// Compiler finds a C compiler for arch: this machine's ($CC, cc, gcc or clang) or a cross compiler. Without one, the error
// matches ErrNoCompiler and names the package that has it.
func Compiler(arch string) ([]string, error) {
	triple, ok := triples[arch]
	if !ok {
		return nil, fmt.Errorf("unknown architecture %q", arch)
	}
	names := []string{triple + "-gcc"}
	pkg := "gcc-" + strings.ReplaceAll(triple, "_", "-")
	if arch == runtime.GOARCH {
		names, pkg = []string{"cc", "gcc", "clang"}, "gcc"
		if cc := strings.Fields(os.Getenv("CC")); len(cc) > 0 {
			return cc, nil
		}
	}
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			return []string{name}, nil
		}
	}
	return nil, fmt.Errorf("%w for %s: tried %s; 'apt-get install %s' brings one", ErrNoCompiler, arch, strings.Join(names, ", "), pkg)
}

// compile returns the object file of src. If the compiler refused it, text has its messages.
func compile(o Options, src []byte) (obj []byte, text string, err error) {
	dir, err := os.MkdirTemp("", "verbsgen-*")
	if err != nil {
		return nil, "", fmt.Errorf("no place for temporary files: %w; TMPDIR names another", err)
	}
	defer os.RemoveAll(dir)
	out := dir + "/probe.o"
	args := append([]string(nil), o.CC[1:]...)
	for _, inc := range o.Include {
		args = append(args, "-I", inc)
	}
	args = append(args, "-x", "c", "-std=gnu11", "-w", "-O0", "-g0", "-fno-lto", "-fmax-errors=0", "-c", "-o", out, "-")
	ctx, cancel := context.WithTimeout(context.Background(), compileTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.CC[0], args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.Stdin = bytes.NewReader(src)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
			return nil, "", fmt.Errorf("%w: %v", ErrNoCompiler, err)
		}
		if ctx.Err() != nil {
			return nil, "", fmt.Errorf("%s gives no answer within %v", o.CC[0], compileTime)
		}
		return nil, errs.String(), fmt.Errorf("%s: %w", o.CC[0], err)
	}
	obj, err = os.ReadFile(out)
	return obj, "", err
}
