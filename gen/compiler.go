package gen

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/goverbs/ibv/gen/load"
	"github.com/goverbs/ibv/gen/model"
)

// compiler returns the command of the C compiler: cc split at blanks or, if cc is empty, the first usual one that is installed.
func compiler(cc string) ([]string, error) {
	if argv := strings.Fields(cc); len(argv) > 0 {
		if _, err := exec.LookPath(argv[0]); err != nil {
			return nil, fmt.Errorf("%w: CC=%s: %w", load.ErrNoCompiler, cc, unwrapped(err))
		}
		return argv, nil
	}
	for _, name := range []string{"gcc", "cc", "clang"} {
		if _, err := exec.LookPath(name); err == nil {
			return []string{name}, nil
		}
	}
	return nil, fmt.Errorf("%w: none of gcc, cc, clang is in PATH; install one (apt-get install gcc) or set CC", load.ErrNoCompiler)
}

func unwrapped(err error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// machines maps the first part of a compiler's target to a GOARCH.
var machines = map[string]string{"x86_64": "amd64", "aarch64": "arm64", "powerpc64le": "ppc64le", "riscv64": "riscv64", "s390x": "s390x"}

// targetArch is the architecture that cc compiles for: what it says, or the one this program runs on.
func targetArch(cc []string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, cc[0], append(cc[1:len(cc):len(cc)], "-dumpmachine")...).Output()
	if err != nil {
		return supported(runtime.GOARCH)
	}
	triple := strings.TrimSpace(string(out))
	machine, _, _ := strings.Cut(triple, "-")
	if arch := machines[machine]; arch != "" {
		return arch, nil
	}
	return "", fmt.Errorf("the C compiler %s compiles for %q, which is none of %s", cc[0], triple, strings.Join(model.Archs, ", "))
}

func supported(arch string) (string, error) {
	if !slices.Contains(model.Archs, arch) {
		return "", fmt.Errorf("unknown architecture %q: it must be one of %s", arch, strings.Join(model.Archs, ", "))
	}
	return arch, nil
}
