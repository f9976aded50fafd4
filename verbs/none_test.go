//go:build !linux || !cgo

package verbs

import (
	"errors"
	"testing"

	"github.com/goverbs/ibv"
)

// Where no verb can be called, everything answers ErrNotSupported.
func TestNone(t *testing.T) {
	_, list := Devices()
	_, open := OpenDevice("mlx5_0")
	_, adopted := AdoptDevice(&ibv.Device{}, "somebody", nil).Open()
	for _, err := range []error{list, open, adopted} {
		var e *Error
		if !errors.Is(err, ErrNotSupported) || !errors.Is(err, errors.ErrUnsupported) || !errors.As(err, &e) || errors.Is(err, ErrNoLibrary) {
			t.Errorf("%v, want ErrNotSupported", err)
		}
	}
}
