package main

import (
	"strings"
	"testing"
)

func TestHelp(t *testing.T) {
	var all strings.Builder
	for _, args := range [][]string{{"help"}, {"help", "generate"}, {"help", "verify"}, {"help", "diff"}, {"help", "dump"}, {"help", "layout"}, {"help", "list"}} {
		r := verbsgen(nil, args...)
		if r.status != 0 || r.stderr != "" {
			t.Errorf("%v: status %d, %s", args, r.status, r.stderr)
		}
		all.WriteString("$ verbsgen " + strings.Join(args, " ") + "\n" + r.stdout + "\n")
	}
	golden(t, "help.txt", all.String())
}

// All ways of asking give the same text.
func TestHelpSpellings(t *testing.T) {
	for _, group := range [][][]string{
		{{"help"}, {"-h"}, {"-help"}, {"--help"}, {"help", "help"}},
		{{"help", "diff"}, {"diff", "-h"}, {"diff", "--help"}, {"diff", "44.0", "-h"}},
	} {
		want := verbsgen(nil, group[0]...)
		for _, args := range group[1:] {
			if got := verbsgen(nil, args...); got != want {
				t.Errorf("%v: %+v, want as %v", args, got, group[0])
			}
		}
	}
}

// Every command's help has a synopsis, every flag and an example, and fits a terminal.
func TestHelpComplete(t *testing.T) {
	for _, c := range commands() {
		h := verbsgen(nil, "help", c.name).stdout
		for _, part := range []string{"Usage: verbsgen " + c.name + " ", "\nFlags:\n", "\nExample:\n  verbsgen " + c.name + " "} {
			if !strings.Contains(h, part) {
				t.Errorf("the help of %s lacks %q", c.name, part)
			}
		}
		for line := range strings.Lines(h) {
			if len(line) > 121 {
				t.Errorf("the help of %s has a line of %d characters: %s", c.name, len(line), line)
			}
		}
	}
}
