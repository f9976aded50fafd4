//go:build !linux || !cgo

package cverbs

import (
	"fmt"
	"unsafe"

	"github.com/goverbs/ibv"
)

// Register would add a provider's object. Here no verb can be called, and the error is ErrNotSupported.
func Register(object, ops unsafe.Pointer) error {
	return fmt.Errorf("register provider's object: %w", ErrNotHere)
}

// Unregister would remove a provider's object. Here there is none, and the error is ErrNotSupported.
func Unregister(object unsafe.Pointer) error {
	return fmt.Errorf("unregister provider's object: %w", ErrNotHere)
}

// Registered would tell of a provider. Here there is none.
func Registered(context *ibv.Context) bool { return false }

// RegistryFunctions would return the C functions behind Register and Unregister. Here there are none, and both are nil.
func RegistryFunctions() (register, unregister unsafe.Pointer) { return nil, nil }
