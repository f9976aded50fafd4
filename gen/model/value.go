package model

import (
	"fmt"
	"strconv"
)

// A Value is an integer constant between -2^63 and 2^64-1. The zero Value is 0; equal constants are == .
type Value struct {
	neg bool
	mag uint64
}

// Int returns the Value of a signed integer.
func Int(v int64) Value {
	if v < 0 {
		return Value{neg: true, mag: -uint64(v)}
	}
	return Value{mag: uint64(v)}
}

// Uint returns the Value of an unsigned integer.
func Uint(v uint64) Value { return Value{mag: v} }

// Neg reports whether v is below zero.
func (v Value) Neg() bool { return v.neg }

// Uint64 returns the two's complement bits of v.
func (v Value) Uint64() uint64 {
	if v.neg {
		return -v.mag
	}
	return v.mag
}

func (v Value) String() string {
	if v.neg {
		return "-" + strconv.FormatUint(v.mag, 10)
	}
	return strconv.FormatUint(v.mag, 10)
}

// MarshalJSON writes a JSON number.
func (v Value) MarshalJSON() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalJSON reads a JSON number without a fraction.
func (v *Value) UnmarshalJSON(b []byte) error {
	s := string(b)
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		*v = Int(i)
		return nil
	}
	u, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return fmt.Errorf("integer constant %s: %w", s, err)
	}
	*v = Uint(u)
	return nil
}
