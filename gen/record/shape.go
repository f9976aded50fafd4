package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// maxDepth bounds the nesting of brackets: 30 unnamed aggregates inside one another.
const maxDepth = 128

// checkShape finds what encoding/json lets through: keys that stand twice or in another case, null, absurd nesting,
// a number per architecture that lacks one.
func checkShape(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	s := shape{d}
	if err := s.value(0); err != nil {
		return fmt.Errorf("line %d: %w", line(data, d.InputOffset()), err)
	}
	return nil
}

type shape struct{ d *json.Decoder }

func (s shape) value(depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("nested deeper than %d brackets", maxDepth)
	}
	tok, err := s.d.Token()
	switch {
	case err != nil:
		return err
	case tok == nil:
		return fmt.Errorf("null is no value of a record")
	case tok == json.Delim('{'):
		return s.object(depth)
	case tok == json.Delim('['):
		for s.d.More() {
			if err := s.value(depth + 1); err != nil {
				return err
			}
		}
		_, err = s.d.Token()
	}
	return err
}

func (s shape) object(depth int) error {
	var keys []string
	for s.d.More() {
		tok, err := s.d.Token()
		if err != nil {
			return err
		}
		key, _ := tok.(string)
		if slices.Contains(keys, key) {
			return fmt.Errorf("key %.40q stands twice", key)
		}
		if !known[key] {
			return fmt.Errorf("unknown key %.40q", key)
		}
		keys = append(keys, key)
		if err := s.value(depth + 1); err != nil {
			return err
		}
	}
	if len(keys) == 0 {
		return fmt.Errorf("an empty object")
	}
	if slices.Contains(model.Archs, keys[0]) {
		for _, arch := range model.Archs {
			if !slices.Contains(keys, arch) {
				return fmt.Errorf("no number for %s", arch)
			}
		}
	}
	_, err := s.d.Token()
	return err
}

// known are all keys of a record, in their exact case.
var known = knownKeys()

func knownKeys() map[string]bool {
	r := map[string]bool{"format": true, "body": true}
	for _, arch := range model.Archs {
		r[arch] = true
	}
	for _, v := range []any{model.Model{}, model.Aggregate{}, model.Member{}, model.Bits{}, model.Enum{}, model.Enumerator{},
		model.Const{}, model.Alias{}, model.Func{}, model.Param{}} {
		for t, i := reflect.TypeOf(v), 0; i < t.NumField(); i++ {
			key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			r[key] = true
		}
	}
	delete(r, "-")
	return r
}
