// Package record stores a model as JSON, one file per release of a library, and joins the records of several releases.
// A record holds facts only: names, values, sizes, offsets.
package record

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/goverbs/ibv/gen/model"
)

// Format is the format number of the records that this package writes, and the newest that it reads.
const Format = 1

// Write returns m as a record: stable, one member, enumerator, constant or function to a line. A model that Read would
// refuse is an error.
func Write(m *model.Model) ([]byte, error) {
	if err := Check(m); err != nil {
		return nil, fmt.Errorf("the ABI of %s cannot be recorded: %w", m.Header, err)
	}
	b, err := json.Marshal(struct {
		Format int `json:"format"`
		model.Model
	}{Format, withoutNil(m)})
	if err != nil {
		return nil, err
	}
	return layOut(b), nil
}

// withoutNil returns m with empty lists where nil ones would become null.
func withoutNil(m *model.Model) model.Model {
	c := *m
	c.Aggregates = append([]model.Aggregate{}, m.Aggregates...)
	c.Enums = append([]model.Enum{}, m.Enums...)
	c.Consts = append([]model.Const{}, m.Consts...)
	c.Funcs = append([]model.Func{}, m.Funcs...)
	for i := range c.Enums {
		c.Enums[i].Enumerators = append([]model.Enumerator{}, c.Enums[i].Enumerators...)
	}
	return c
}

// broken are the lists whose elements stand on lines of their own.
var broken = map[string]bool{
	"aggregates": true, "enums": true, "consts": true, "aliases": true, "functions": true,
	"members": true, "enumerators": true,
}

// layOut spreads compact JSON over lines: each key of the outermost object, and each element of the broken lists.
func layOut(b []byte) []byte {
	p := layout{}
	for i := 0; i < len(b); i++ {
		if b[i] != '"' {
			p.punct(b[i], i+1 < len(b) && b[i+1] == ']')
			continue
		}
		end := stringEnd(b, i)
		p.out.Write(b[i:end])
		p.last = string(b[i+1 : end-1])
		i = end - 1
	}
	p.out.WriteByte('\n')
	return p.out.Bytes()
}

// stringEnd returns the index after the string that starts at b[i].
func stringEnd(b []byte, i int) int {
	for j := i + 1; j < len(b); j++ {
		switch b[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return len(b)
}

// A layout is the state of layOut: per open bracket, whether its elements get lines of their own.
type layout struct {
	out   bytes.Buffer
	open  []bool
	depth int    // open brackets that break lines
	last  string // the latest string: a key when a bracket follows
}

func (p *layout) punct(c byte, empty bool) {
	switch c {
	case '{', '[':
		breaks := len(p.open) == 0 || c == '[' && broken[p.last] && !empty
		p.out.WriteByte(c)
		p.open = append(p.open, breaks)
		if breaks {
			p.depth++
			p.newline()
		}
	case '}', ']':
		n := len(p.open) - 1
		if p.open[n] {
			p.depth--
			p.newline()
		}
		p.open = p.open[:n]
		p.out.WriteByte(c)
	case ',':
		p.out.WriteByte(c)
		if p.open[len(p.open)-1] {
			p.newline()
		} else {
			p.out.WriteByte(' ')
		}
	case ':':
		p.out.WriteString(": ")
	default:
		p.out.WriteByte(c)
	}
}

func (p *layout) newline() {
	p.out.WriteByte('\n')
	for range p.depth - 1 {
		p.out.WriteByte(' ')
	}
}
