// Package probe asks a C compiler for the numbers that a model holds, and writes them as C assertions. Nothing that is
// compiled is run, so that a cross compiler serves as well as the machine's own.
package probe

import (
	"fmt"
	"runtime"

	"github.com/goverbs/ibv/gen/compiler"
	"github.com/goverbs/ibv/gen/model"
)

// Options say which compiler reads which header.
type Options struct {
	CC      []string // command line of gcc or clang; empty: compiler.ForArch(Arch)
	Include []string // folders for -I
	Header  string   // for #include <...>; an absolute path will do
	Arch    string   // GOARCH; empty: this machine's
}

// A Mismatch is an item that the compiler sees otherwise than the model.
type Mismatch struct {
	Item string // in C's terms: sizeof(struct ibv_wc), offsetof(struct ibv_wc, status), IBV_WC_SUCCESS
	Pos  string // file:line in the header, if the model knows it
	Want string // in the model
	Got  string // from the compiler; for an item that it refuses, its message
}

func (m Mismatch) String() string {
	s := fmt.Sprintf("%s: the compiler says %s, the model %s", m.Item, m.Got, m.Want)
	if m.Pos != "" {
		s = m.Pos + ": " + s
	}
	return s
}

// maxRounds bounds the number of compilations: each drops what the one before refused.
const maxRounds = 20

// Check compares every number of m with the compiler's: sizes, alignments, offsets, places of bit-fields, enumerators and
// macros. The result is empty if all agree. Items that the header has and the model lacks are not noticed.
func Check(o Options, m *model.Model) ([]Mismatch, error) {
	if o.Arch == "" {
		o.Arch = runtime.GOARCH
	}
	if len(o.CC) == 0 {
		var err error
		if o.CC, err = compiler.ForArch(o.Arch); err != nil {
			return nil, err
		}
	}
	if err := headerName(o.Header); err != nil {
		return nil, err
	}
	items, err := list(m, o.Arch)
	if err != nil {
		return nil, err
	}
	return check(o, items)
}

func check(o Options, items []item) ([]Mismatch, error) {
	var refused []Mismatch
	for range maxRounds {
		obj, text, err := compile(o, source(o.Header, items))
		if err == nil {
			found, err := compare(obj, o.Arch, items)
			return append(refused, found...), err
		}
		if text == "" {
			return nil, err
		}
		bad, first := refusals(text)
		if len(bad) == 0 {
			return nil, fmt.Errorf("%s: %s", o.CC[0], first)
		}
		var rest []item
		for i, it := range items {
			if msg, ok := bad[i]; ok {
				refused = append(refused, Mismatch{it.text, it.pos, it.wanted(), msg})
			} else {
				rest = append(rest, it)
			}
		}
		if len(rest) == len(items) {
			return nil, fmt.Errorf("%s: %s", o.CC[0], first)
		}
		items = rest
	}
	return nil, fmt.Errorf("%s refuses too much of what the model names; first: %s", o.CC[0], refused[0])
}
