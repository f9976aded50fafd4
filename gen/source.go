package gen

import (
	"fmt"
	"strings"

	"github.com/goverbs/ibv/gen/compiler"
	"github.com/goverbs/ibv/gen/load"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/probe"
)

// DefaultHeader is the header that the root package is made of.
const DefaultHeader = "infiniband/verbs.h"

// A Source says where a header is and which C compiler reads it.
type Source struct {
	Header  string   // as included, or the path of a file; empty: DefaultHeader
	Include []string // folders searched before the compiler's own
	CC      string   // the compiler's command; empty: gcc, cc or clang, whichever is installed
	Release string   // of the library; empty: found beside the header
}

// Load reads the header for all architectures.
func (s Source) Load() (*model.Model, error) {
	cc, err := compiler.Find(s.CC)
	if err != nil {
		return nil, err
	}
	s = s.located()
	return load.Load(load.Options{Header: s.Header, Include: s.Include, CC: strings.Join(cc, " "), Release: s.Release})
}

func (s Source) header() string {
	if s.Header == "" {
		return DefaultHeader
	}
	return s.Header
}

// check asks the C compiler for every number of m on the architecture that it compiles for.
func (s Source) check(m *model.Model) ([]probe.Mismatch, error) {
	cc, err := compiler.Find(s.CC)
	if err != nil {
		return nil, err
	}
	arch, err := cc.Arch()
	if err != nil {
		return nil, err
	}
	s = s.located()
	return probe.Check(probe.Options{CC: cc, Include: s.Include, Header: s.Header, Arch: arch}, m)
}

// An answer is what check returns.
type answer struct {
	mismatches []probe.Mismatch
	err        error
}

// startCheck runs check beside its caller.
func (s Source) startCheck(m *model.Model) <-chan answer {
	c := make(chan answer, 1)
	go func() {
		var a answer
		a.mismatches, a.err = s.check(m)
		c <- a
	}()
	return c
}

// LoadChecked is Load, with every number compared with the C compiler's own.
func (s Source) LoadChecked() (*model.Model, error) {
	m, err := s.Load()
	if err != nil {
		return nil, err
	}
	wrong, err := s.check(m)
	if err != nil {
		return nil, err
	}
	if len(wrong) > 0 {
		return nil, &MismatchError{Header: s.header(), Mismatches: wrong}
	}
	return m, nil
}

// A MismatchError says that the C compiler lays a header out differently from how it was read.
type MismatchError struct {
	Header     string
	Mismatches []probe.Mismatch
}

func (e *MismatchError) Error() string {
	more := ""
	if n := len(e.Mismatches) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Sprintf("%s: the C compiler disagrees with what was read: %v%s", e.Header, e.Mismatches[0], more)
}

// Detail lists the disagreements after the first.
func (e *MismatchError) Detail() string {
	var b strings.Builder
	for _, m := range e.Mismatches[1:] {
		fmt.Fprintf(&b, "  %v\n", m)
	}
	return b.String()
}
