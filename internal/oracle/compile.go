package oracle

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// compileTime bounds one run of the compiler.
const compileTime = time.Minute

// run gives src to the compiler's standard input and returns what it printed.
func run(cc, include []string, src string, args ...string) (stdout, stderr string, err error) {
	if len(cc) == 0 {
		return "", "", fmt.Errorf("oracle: no compiler given")
	}
	argv := append([]string(nil), cc[1:]...)
	for _, dir := range include {
		argv = append(argv, "-I", dir)
	}
	argv = append(argv, "-w", "-x", "c")
	argv = append(argv, args...)
	argv = append(argv, "-")
	ctx, cancel := context.WithTimeout(context.Background(), compileTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, cc[0], argv...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.Stdin = strings.NewReader(src)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// object compiles src and returns the object file's bytes; the text of a failure is the compiler's.
func object(cc, include []string, src string, args ...string) ([]byte, string, error) {
	f, err := os.CreateTemp("", "oracle-*.o")
	if err != nil {
		return nil, "", err
	}
	f.Close()
	defer os.Remove(f.Name())
	_, text, err := run(cc, include, src, append(args, "-c", "-o", f.Name())...)
	if err != nil {
		return nil, text, fmt.Errorf("%s: %w\n%s", cc[0], err, text)
	}
	obj, err := os.ReadFile(f.Name())
	return obj, "", err
}
