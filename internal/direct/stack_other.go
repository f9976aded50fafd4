//go:build !linux

package direct

import "errors"

// NewStack would map a stack.
func NewStack() (*Stack, error) { return nil, errors.ErrUnsupported }

// Free does nothing.
func (s *Stack) Free() {}

func addressOf([]byte) uintptr { return 0 }
