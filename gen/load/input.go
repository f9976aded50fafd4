package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/goverbs/ibv/gen/model"
	"modernc.org/cc/v4"
)

// An input is a header, the folders it is read from, and what the architectures share while they read it.
type input struct {
	header  string // as included
	path    string // of the header's file
	dirs    []string
	own     owner
	host    *host
	files   *files
	sources cc.SourceCache
}

func newInput(o Options, on *host) (*input, error) {
	in := &input{header: o.Header, host: on, files: newFiles(targets)}
	for _, d := range o.Include {
		if info, err := os.Stat(d); err != nil || !info.IsDir() {
			return nil, &Error{Pos: d, Msg: "not a folder to search for headers"}
		}
		in.dirs = append(in.dirs, filepath.Clean(d))
	}
	in.dirs = append(in.dirs, on.includes...)
	if o.Header == "" {
		return nil, &Error{Msg: "no header given"}
	}
	var err error
	if in.path, err = in.find(o.Header); err != nil {
		return nil, err
	}
	in.own = newOwner(in.path, on.includes)
	return in, nil
}

// find returns the path of a header: a file as it stands, else searched for in the folders.
func (in *input) find(header string) (string, error) {
	paths := []string{}
	if !filepath.IsAbs(header) {
		for _, d := range in.dirs {
			paths = append(paths, filepath.Join(d, header))
		}
	}
	// A file given by its path is meant when the search finds nothing, or when no search could find it.
	paths = append(paths, filepath.Clean(header))
	for _, p := range paths {
		switch _, err := in.files.bytes(p); {
		case err == nil:
			return p, nil
		case errors.Is(err, fs.ErrNotExist):
		default:
			var e *Error
			if errors.As(err, &e) {
				return "", e
			}
			return "", &Error{Pos: p, Msg: "cannot be read: " + oneLine(err.Error()), Err: err}
		}
	}
	msg := "no such header"
	if in.dirs != nil {
		msg += " in " + strings.Join(in.dirs, ", ")
	}
	return "", &Error{Pos: header, Msg: oneLine(msg + packageHint(header)), Err: fs.ErrNotExist}
}

// archTimeout bounds the time for one architecture. It is a last resort, since the front end cannot be stopped: what it does
// goes on until the program ends.
const archTimeout = 15 * time.Second

// arch reads the header as a compiler for arch would.
func (in *input) arch(arch string) (*model.Model, error) {
	type result struct {
		m   *model.Model
		err error
	}
	done := make(chan result, 1)
	go func() {
		m, err := in.guarded(arch)
		done <- result{m, err}
	}()
	timer := time.NewTimer(archTimeout)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.m, r.err
	case <-timer.C:
		return nil, &Error{Pos: in.path, Msg: fmt.Sprintf("the C front end takes longer than %v", archTimeout)}
	}
}

// guarded reads the header and turns a panic into an error.
func (in *input) guarded(arch string) (m *model.Model, err error) {
	defer func() {
		if p := recover(); p != nil { // the front end panics on some rubbish
			m, err = nil, &Error{Pos: in.path, Msg: oneLine(fmt.Sprintf("the C front end failed: %v", p)), Err: errors.New(string(debug.Stack()))}
		}
	}()
	ast, err := in.parse(arch)
	if err != nil {
		return nil, err
	}
	return in.model(arch, ast)
}

// parse runs the front end.
func (in *input) parse(arch string) (*cc.AST, error) {
	cfg, err := config(arch, in.host)
	if err != nil {
		return nil, err
	}
	cfg.FS, cfg.SourceCache = in.files, &in.sources
	cfg.SysIncludePaths = append([]string{substituteRoot + arch}, in.dirs...)
	cfg.IncludePaths = slices.Concat([]string{""}, cfg.SysIncludePaths)
	if err := cfg.ApplyOptions(); err != nil {
		return nil, err
	}
	sources := []cc.Source{
		{Name: "<predefined>", Value: cfg.Predefined},
		{Name: "<builtin>", Value: cc.Builtin},
		{Name: in.path},
		{Name: "<end>", Value: ";\n;\n;\n"}, // the parser may wait for ever for what follows, say, "enum"
	}
	ast, err := in.translate(cfg, sources, false)
	if e := in.files.refused(); e != nil {
		return nil, e
	}
	var e *Error
	switch {
	case errors.As(err, &e):
		return nil, e
	case err != nil:
		return nil, in.explain(err, func() *cc.AST { return in.parseOnly(cfg, sources) })
	}
	return ast, nil
}

// translate parses the sources; those with a file that may leave something open pass the gate before.
func (in *input) translate(cfg *cc.Config, sources []cc.Source, gated bool) (ast *cc.AST, err error) {
	g := in.guard(cfg, gated)
	a := g.run(func() { ast, err = cc.Translate(cfg, sources) })
	switch {
	case a == nil:
		return ast, err
	case a.err != nil:
		return nil, a.err
	}
	g = in.guard(cfg, true)
	if a := g.run(func() { err = in.gate(cfg, sources) }); a != nil {
		return nil, a.err
	}
	if err != nil {
		return nil, err
	}
	return in.translate(cfg, sources, true)
}

// parseOnly parses the sources, which the front end has parsed already but found fault with.
func (in *input) parseOnly(cfg *cc.Config, sources []cc.Source) (ast *cc.AST) {
	in.guard(cfg, true).run(func() { ast, _ = cc.Parse(cfg, sources) })
	return ast
}

// guard sets a new guard on the parse.
func (in *input) guard(cfg *cc.Config, gated bool) *guard {
	g := &guard{files: in.files, system: in.host.includes, gated: gated, once: map[string]bool{}}
	cfg.PragmaHandler = g.pragma
	return g
}
