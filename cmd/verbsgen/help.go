package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

const intro = `verbsgen writes Go declarations for rdma-core's C headers and tells what changed between two of them.

Usage: verbsgen COMMAND [ARGUMENTS]

Commands:
`

const statuses = `
Exit status, as bits:
   0  done; nothing differs
   1  error
   3  error in the command line (1 + 2)
   4  changed: compatible additions, or generated files out of date
  12  incompatible change (4 + 8)
'go run' turns every failure into 1; 'go tool verbsgen' and an installed binary keep the status.

'verbsgen help COMMAND' says more about a command.
`

func isHelp(arg string) bool {
	switch arg {
	case "help", "-h", "-help", "--help":
		return true
	}
	return false
}

// help writes the overview, or the help of one command.
func help(w io.Writer, args []string) error {
	switch {
	case len(args) == 0 || len(args) == 1 && isHelp(args[0]):
		var b strings.Builder
		b.WriteString(intro)
		for _, c := range commands() {
			fmt.Fprintf(&b, "  %-9s %s\n", c.name, c.short)
		}
		fmt.Fprintf(&b, "  %-9s %s\n", "help", "explain a command")
		return write(w, b.String()+statuses)
	case len(args) > 1:
		return &usageError{msg: "help takes one command"}
	}
	c, err := find(args[0])
	if err != nil {
		return err
	}
	return write(w, c.help())
}

// help is the full help text of c.
func (c *command) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: verbsgen %s %s\n\n%s\n\nFlags:\n", c.name, c.args, c.long)
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	c.setup(fs)
	fs.VisitAll(func(f *flag.Flag) {
		arg, usage := flag.UnquoteUsage(f)
		fmt.Fprintf(&b, "  %-12s %s\n", strings.TrimSuffix("-"+f.Name+" "+arg, " "), usage)
	})
	fmt.Fprintf(&b, "\nExample:\n%s\n", c.example)
	return b.String()
}
