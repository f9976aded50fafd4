// Package compiler finds C compilers and runs them, with bounds on the time they take and on what they print.
package compiler

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// ErrNone says that there is no C compiler to ask.
var ErrNone = errors.New("no C compiler")

// A Command is a compiler's command line: its name and the flags that always go with it.
type Command []string

// usual are the compilers of this machine that are looked for, in order.
var usual = []string{"gcc", "cc", "clang"}

// Find returns the compiler named by cc, which is split at blanks; if cc is empty, $CC or else the first usual one that is installed.
// Without one, the error matches ErrNone and says what to install.
func Find(cc string) (Command, error) {
	named := cc
	if named == "" {
		named = os.Getenv("CC")
	}
	if argv := strings.Fields(named); len(argv) > 0 {
		if _, err := exec.LookPath(argv[0]); err != nil {
			return nil, fmt.Errorf("%w: CC=%s: %w", ErrNone, named, cause(err))
		}
		return argv, nil
	}
	for _, name := range usual {
		if _, err := exec.LookPath(name); err == nil {
			return Command{name}, nil
		}
	}
	return nil, fmt.Errorf("%w: none of %s is in PATH; install one (apt-get install gcc) or set CC", ErrNone, strings.Join(usual, ", "))
}

// triples are the GNU names of the architectures, as Debian's cross compilers carry them.
var triples = map[string]string{
	"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu", "ppc64le": "powerpc64le-linux-gnu",
	"riscv64": "riscv64-linux-gnu", "s390x": "s390x-linux-gnu",
}

// ForArch returns a compiler for arch: this machine's, or a cross compiler. Without one, the error matches ErrNone and names the
// package that has it.
func ForArch(arch string) (Command, error) {
	triple, ok := triples[arch]
	if !ok {
		return nil, UnknownArch(arch)
	}
	if arch == runtime.GOARCH {
		return Find("")
	}
	name := triple + "-gcc"
	if _, err := exec.LookPath(name); err != nil {
		return nil, fmt.Errorf("%w for %s: %s is not in PATH; 'apt-get install gcc-%s' brings it", ErrNone, arch, name,
			strings.ReplaceAll(triple, "_", "-"))
	}
	return Command{name}, nil
}

// Arch returns the architecture that c compiles for: what it says, or the one this program runs on.
func (c Command) Arch() (string, error) {
	out, _, err := c.Run(nil, "-dumpmachine")
	if err != nil {
		if triples[runtime.GOARCH] == "" {
			return "", UnknownArch(runtime.GOARCH)
		}
		return runtime.GOARCH, nil
	}
	triple := strings.TrimSpace(string(out))
	machine, _, _ := strings.Cut(triple, "-")
	for arch, t := range triples {
		if strings.HasPrefix(t, machine+"-") {
			return arch, nil
		}
	}
	return "", fmt.Errorf("the C compiler %s compiles for %.80q, which is none of %s", c[0], triple, strings.Join(model.Archs, ", "))
}

// UnknownArch is the error about an architecture that is not served.
func UnknownArch(arch string) error {
	return fmt.Errorf("unknown architecture %q: it must be one of %s", arch, strings.Join(model.Archs, ", "))
}

// cause strips the name of the program from a failed search.
func cause(err error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
