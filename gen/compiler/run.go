package compiler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

const (
	// timeLimit bounds one run. The largest header takes a second.
	timeLimit = 30 * time.Second
	// waitDelay is how long a killed compiler's children may hold its output open.
	waitDelay = time.Second
	// outputLimit bounds what one run may print.
	outputLimit = 32 << 20
)

// Run runs the compiler with further arguments, in the C locale, and returns what it printed. When it takes too long or prints too
// much, it is killed with all that it started. An error of the compiler's own is an *exec.ExitError.
func (c Command) Run(stdin []byte, args ...string) (stdout, stderr []byte, err error) {
	return c.run(timeLimit, stdin, args...)
}

func (c Command) run(limit time.Duration, stdin []byte, args ...string) (stdout, stderr []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, c[0], append(c[1:len(c):len(c)], args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.Stdin = bytes.NewReader(stdin)
	out, errs := &bounded{stop: cancel}, &bounded{stop: cancel}
	cmd.Stdout, cmd.Stderr = out, errs
	cmd.WaitDelay = waitDelay
	killGroup(cmd)
	err = cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist):
		err = fmt.Errorf("%w: %s: %w", ErrNone, c[0], cause(err))
	case out.full || errs.full:
		err = fmt.Errorf("the C compiler %s printed more than %d MB", c[0], outputLimit>>20)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("the C compiler %s gave no answer within %v", c[0], limit)
	}
	return out.buf.Bytes(), errs.buf.Bytes(), err
}

// A bounded buffer stops the run when it is full. It is no bytes.Buffer itself, whose ReadFrom would pass Write by.
type bounded struct {
	buf  bytes.Buffer
	stop func()
	full bool
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.buf.Len()+len(p) > outputLimit {
		b.full = true
		b.stop()
		return len(p), nil // swallowed until the process is gone
	}
	return b.buf.Write(p)
}
