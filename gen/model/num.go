package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// A Num is a size, alignment or offset: one number, or one per architecture where they differ.
// By is nil when all architectures agree; then V holds for each.
type Num struct {
	V  int64
	By map[string]int64
}

// N returns the Num that is v on every architecture.
func N(v int64) Num { return Num{V: v} }

// NumBy returns the Num with the given value per architecture, in its shortest form.
func NumBy(by map[string]int64) Num {
	vals := slices.Collect(maps.Values(by))
	if len(vals) > 0 && slices.Min(vals) == slices.Max(vals) {
		return Num{V: vals[0]}
	}
	return Num{By: by}
}

// At returns the value on arch.
func (n Num) At(arch string) int64 {
	if n.By == nil {
		return n.V
	}
	return n.By[arch]
}

// Equal reports whether both are the same on every architecture.
func (n Num) Equal(o Num) bool { return n.V == o.V && maps.Equal(n.By, o.By) }

func (n Num) String() string {
	if n.By == nil {
		return fmt.Sprint(n.V)
	}
	b, _ := json.Marshal(n.By) // keys come sorted
	return string(b)
}

// MarshalJSON writes a number, or an object with one number per architecture.
func (n Num) MarshalJSON() ([]byte, error) {
	if n.By != nil {
		return json.Marshal(n.By)
	}
	return json.Marshal(n.V)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Num) UnmarshalJSON(b []byte) error {
	*n = Num{}
	if len(b) > 0 && b[0] == '{' {
		var by map[string]int64
		if err := json.Unmarshal(b, &by); err != nil {
			return err
		}
		*n = NumBy(by)
		return nil
	}
	return json.Unmarshal(b, &n.V)
}
