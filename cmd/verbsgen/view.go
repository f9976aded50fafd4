package main

import (
	"strings"

	"github.com/goverbs/ibv/gen"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/plan"
)

// A view is a model to look at, with the Go names of what it declares.
type view struct {
	model  *model.Model
	names  *naming
	oldest string // oldest release with a record

	types *plan.Package  // the Go declarations
	all   *model.Model   // what they stand for
	known []*model.Model // all records of the header
}

// addCalls finds the Go calls of functions.
func (v *view) addCalls() error {
	calls, err := gen.Calls(v.all, v.known, v.types)
	if err != nil {
		return err
	}
	v.names.addCalls(calls)
	return nil
}

// openView reads the header if one is named, else the record of a release, else all records together.
func openView(src gen.Source) (*view, error) {
	m, known, err := viewed(src)
	if err != nil {
		return nil, err
	}
	p, all, err := gen.Names(m, known)
	if err != nil {
		return nil, err
	}
	v := &view{model: m, names: newNaming(p, all), types: p, all: all, known: known}
	if src.Header == "" && src.Release == "" && len(src.Include) == 0 {
		v.model = all
	}
	if len(known) > 0 {
		v.oldest = known[0].Release
	}
	return v, nil
}

// viewed returns the model asked for, and all records of its header.
func viewed(src gen.Source) (m *model.Model, known []*model.Model, err error) {
	if src.Header != "" || len(src.Include) > 0 {
		if m, err = src.Load(); err != nil {
			return nil, nil, err
		}
		known, err = gen.Known(m.Header, "")
		return m, known, err
	}
	if known, err = gen.Known(gen.DefaultHeader, ""); err != nil {
		return nil, nil, err
	}
	if src.Release == "" {
		return known[len(known)-1], known, nil
	}
	if m = gen.ByRelease(known, src.Release); m == nil {
		return nil, nil, usagef("unknown release %q (known: %s)", src.Release, strings.Join(gen.Releases(known), ", "))
	}
	return m, known, nil
}
