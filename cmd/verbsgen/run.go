package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Exit statuses. Bits as in libabigail's abidiff: 1 error, 2 usage, 4 changed, 8 incompatible.
const (
	statusOK           = 0
	statusError        = 1
	statusUsage        = 1 | 2
	statusChanged      = 4
	statusIncompatible = 4 | 8
)

// maxLine bounds an error's line, which may quote a hostile header or record.
const maxLine = 1000

// An environ looks up an environment variable, as os.LookupEnv does.
type environ func(key string) (string, bool)

// An invocation is one run of a command.
type invocation struct {
	args   []string // without flags
	stdout io.Writer
	env    environ
}

// A command is one of verbsgen's commands. setup defines its flags and returns what runs it, which gives the exit status of
// what it found; an error makes that statusError, or statusUsage if it is a usageError.
type command struct {
	name, args string // synopsis: name args
	short      string // one line
	long       string // one paragraph
	example    string
	setup      func(*flag.FlagSet) func(*invocation) (int, error)
}

// commands lists all commands but help, in the order in which help shows them.
func commands() []*command {
	return []*command{generateCommand, verifyCommand, diffCommand, dumpCommand, layoutCommand, listCommand}
}

// A usageError is a wrong command line.
type usageError struct {
	command string // empty: none was recognized
	msg     string
}

func (e *usageError) Error() string {
	if e.command == "" {
		return e.msg + "; see 'verbsgen help'"
	}
	return e.command + ": " + e.msg + "; see 'verbsgen help " + e.command + "'"
}

// usagef is an error in a command's arguments; run adds the command's name.
func usagef(format string, args ...any) error {
	return &usageError{msg: fmt.Sprintf(format, args...)}
}

// run executes one command line (without the program's name) and returns its exit status.
func run(args []string, stdout, stderr io.Writer, env environ) int {
	status, err := dispatch(args, stdout, env)
	if err == nil {
		return status
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if len(line) > maxLine {
			line = strings.ToValidUTF8(line[:maxLine], "") + " ..."
		}
		fmt.Fprintf(stderr, "verbsgen: %s\n", line)
	}
	var d interface{ Detail() string }
	if errors.As(err, &d) {
		io.WriteString(stderr, d.Detail())
	}
	var usage *usageError
	if errors.As(err, &usage) {
		return statusUsage
	}
	return statusError
}

func dispatch(args []string, stdout io.Writer, env environ) (int, error) {
	if len(args) == 0 {
		return 0, &usageError{msg: "no command"}
	}
	if isHelp(args[0]) {
		return statusOK, help(stdout, args[1:])
	}
	c, err := find(args[0])
	if err != nil {
		return 0, err
	}
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	exec := c.setup(fs)
	rest, err := parse(fs, args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return statusOK, write(stdout, c.help())
	}
	if err != nil {
		return 0, &usageError{c.name, err.Error()}
	}
	status, err := exec(&invocation{rest, stdout, env})
	var usage *usageError
	if errors.As(err, &usage) && usage.command == "" {
		usage.command = c.name
	}
	return status, err
}

// find returns the command of that name.
func find(name string) (*command, error) {
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	if near := nearest(name, append(names, "help"), 1); len(near) > 0 {
		return nil, &usageError{msg: fmt.Sprintf("unknown command %q, did you mean %s?", name, near[0])}
	}
	return nil, &usageError{msg: fmt.Sprintf("unknown command %q", name)}
}

// parse reads flags and positional arguments in any order. What follows "--" is positional.
func parse(fs *flag.FlagSet, args []string) (positional []string, err error) {
	for len(args) > 0 {
		if err := fs.Parse(args); err != nil {
			return nil, flagError(fs, err)
		}
		rest := fs.Args()
		if at := len(args) - len(rest); at > 0 && args[at-1] == "--" {
			return append(positional, rest...), nil
		}
		if len(rest) == 0 {
			break
		}
		positional, args = append(positional, rest[0]), rest[1:]
	}
	return positional, nil
}

// flagError adds the nearest flag to the message about an unknown one.
func flagError(fs *flag.FlagSet, err error) error {
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !ok {
		return err
	}
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	if near := nearest(name, names, 1); len(near) > 0 {
		return fmt.Errorf("unknown flag -%s, did you mean -%s?", name, near[0])
	}
	slices.Sort(names)
	return fmt.Errorf("unknown flag -%s (known: -%s)", name, strings.Join(names, " -"))
}

func write(w io.Writer, s string) error {
	_, err := io.WriteString(w, s)
	return err
}
