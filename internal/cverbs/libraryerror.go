package cverbs

import (
	"errors"
	"strconv"
)

// DefaultLibrary is what is looked for, where the dynamic linker looks, unless [SetLibrary] gives a path.
const DefaultLibrary = "libibverbs.so.1"

// ErrNoLibrary is what errors.Is finds in the error of a call that needed libibverbs where it is missing or cannot be loaded.
var ErrNoLibrary = errors.New("no usable libibverbs")

// ErrOtherLibrary is what errors.Is finds in an error that is about a second libibverbs in one process: its objects could not be
// told from the first's.
var ErrOtherLibrary = errors.New("another libibverbs")

// A Reason says what is the matter with a library.
type Reason int

// Reasons in a LibraryError.
const (
	// There is no such file.
	Missing Reason = iota + 1
	// The file is a library or program of another architecture.
	WrongArchitecture
	// The file is no shared object: text, for example.
	NotLibrary
	// The file ends early.
	Truncated
	// The file cannot be opened or read.
	Unreadable
	// The dynamic linker refuses the file, which may need a newer libc or a library that is missing.
	Unloadable
	// It is a library without any of the verbs, but for those of libraries that it needs.
	NotVerbs
	// The path or the folder of providers cannot be used.
	BadPath
	// Something else in this process, librdmacm for example, has loaded another copy.
	OtherCopy
	// Another path was chosen before, or another library is in use.
	AlreadyChosen
	// There is no memory.
	NoMemory
	// Nothing can be loaded on this platform, or without cgo or glibc, or in a program that is linked statically.
	NoPlatform
)

const install = "install it (Debian: apt-get install libibverbs1 ibverbs-providers)"

// reasons has a word on each Reason and, where there is one, what to do.
var reasons = [...]struct{ what, do string }{
	Missing:           {"there is no such library", install},
	WrongArchitecture: {"it is of another architecture", "use the one of this program's architecture"},
	NotLibrary:        {"it is no shared library", "check the path, or " + install},
	Truncated:         {"the file is truncated", "re" + install},
	Unreadable:        {"the file cannot be read", "check the path and its permissions"},
	Unloadable:        {"it cannot be loaded", "use the release that this system's libc and packages are for, or re" + install},
	NotVerbs:          {"it is another library", "check the path"},
	BadPath:           {"the path cannot be used", "check the path"},
	OtherCopy:         {"another copy is in this process", "set the path to that one, or to none"},
	AlreadyChosen:     {"another library was chosen", "choose one, before the first call"},
	NoMemory:          {"out of memory", ""},
	NoPlatform:        {"it can be used only on Linux, with cgo and glibc, by programs that are not linked statically", ""},
}

// String returns a few words.
func (r Reason) String() string {
	if r <= 0 || int(r) >= len(reasons) {
		return "Reason(" + strconv.Itoa(int(r)) + ")"
	}
	return reasons[r].what
}

// A LibraryError says why a library cannot be used. It is ErrNoLibrary, except that OtherCopy and AlreadyChosen are
// ErrOtherLibrary and NoPlatform is ErrNotSupported.
type LibraryError struct {
	// What was to be loaded: a path, or a name for the dynamic linker. Or the folder of providers.
	Path string
	// What is the matter.
	Reason Reason
	// The dynamic linker's words, or more about the reason.
	Detail string
}

// Error gives the path, the reason, the details and what to do.
func (e *LibraryError) Error() string {
	s := strconv.Quote(e.Path) + ": " + e.Reason.String()
	if e.Detail != "" {
		s += " (" + e.Detail + ")"
	}
	if e.Reason > 0 && int(e.Reason) < len(reasons) && reasons[e.Reason].do != "" {
		s += ": " + reasons[e.Reason].do
	}
	return s
}

// Unwrap returns ErrNoLibrary, ErrOtherLibrary or ErrNotSupported.
func (e *LibraryError) Unwrap() error {
	switch e.Reason {
	case OtherCopy, AlreadyChosen:
		return ErrOtherLibrary
	case NoPlatform:
		return ErrNotSupported
	}
	return ErrNoLibrary
}
