package main

import (
	"encoding/json"
	"flag"
	"strings"
	"unicode"

	"github.com/goverbs/ibv/gen"
	"github.com/goverbs/ibv/gen/record"
)

// A list is a flag that may be given several times.
type list []string

func (l *list) String() string { return strings.Join(*l, " ") }

// Set adds a value.
func (l *list) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// sourceFlags defines the flags that say which header to read.
func sourceFlags(fs *flag.FlagSet, header string) *gen.Source {
	s := &gen.Source{}
	fs.StringVar(&s.Header, "header", header, "read `H`: a header as it is included, or a file's path (default "+gen.DefaultHeader+")")
	includeFlag(fs, s)
	return s
}

func includeFlag(fs *flag.FlagSet, s *gen.Source) {
	fs.Var((*list)(&s.Include), "I", "look for headers in folder `DIR` before the compiler's own; may be given several times")
}

// source completes s from the environment, and refuses what cannot name a header or a release.
func (inv *invocation) source(s *gen.Source) (gen.Source, error) {
	for _, text := range append([]string{s.Header}, s.Include...) {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return gen.Source{}, usagef("%q has a control character", text)
		}
	}
	if s.Release != "" && !record.IsRelease(s.Release) {
		return gen.Source{}, usagef("%q is no release's number, such as 65.0 or 66.0-rc1", s.Release)
	}
	r := *s
	r.CC, _ = inv.env("CC")
	return r, nil
}

// noArgs refuses positional arguments.
func (inv *invocation) noArgs() error {
	if len(inv.args) > 0 {
		return usagef("unexpected argument %q", inv.args[0])
	}
	return nil
}

// writeJSON prints v.
func writeJSON(inv *invocation, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return write(inv.stdout, string(b)+"\n")
}
