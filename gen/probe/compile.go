package probe

import (
	"errors"
	"fmt"
	"os"

	"github.com/goverbs/ibv/gen/compiler"
)

// compile returns the object file of src. If the compiler refused it, text has its messages.
func compile(o Options, src []byte) (obj []byte, text string, err error) {
	dir, err := os.MkdirTemp("", "verbsgen-*")
	if err != nil {
		return nil, "", fmt.Errorf("no place for temporary files: %w; TMPDIR names another", err)
	}
	defer os.RemoveAll(dir)
	out := dir + "/probe.o"
	var args []string
	for _, inc := range o.Include {
		args = append(args, "-I", inc)
	}
	args = append(args, "-x", "c", "-std=gnu11", "-w", "-O0", "-g0", "-fno-lto", "-fmax-errors=0", "-c", "-o", out, "-")
	_, errs, err := compiler.Command(o.CC).Run(src, args...)
	var refused interface{ ExitCode() int }
	if errors.As(err, &refused) {
		return nil, string(errs), fmt.Errorf("%s: %w", o.CC[0], err)
	}
	if err != nil {
		return nil, "", err
	}
	obj, err = os.ReadFile(out)
	return obj, "", err
}
