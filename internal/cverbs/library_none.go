//go:build !linux || !cgo

package cverbs

// SetLibrary would choose the library. Here there is none, and the error is ErrNotSupported.
func SetLibrary(path, providers string) error {
	if path == "" {
		path = DefaultLibrary
	}
	return &LibraryError{Path: path, Reason: NoPlatform, Detail: notHere}
}

// Load would load the library. Here there is none, and the error is ErrNotSupported.
func Load() error { return SetLibrary("", "") }

// Loaded reports that there is no library.
func Loaded() (path string, ok bool) { return "", false }

// Has reports that there is no library.
func Has(v Verb) bool { return false }

// refused is for failures of stubs, of which there are none.
func (e *Error) refused(Verb, int64) { e.Err = ErrNotHere }
