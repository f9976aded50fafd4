//go:build linux && cgo

package cverbs

// #cgo CFLAGS: -std=gnu11 -pthread -Wall -Wextra
// #cgo LDFLAGS: -pthread -ldl
// #include "loader.h"
import "C"

import (
	"path/filepath"
	"strings"
	"unsafe"
)

// SetLibrary chooses the library that the first call loads, or Load, and the folder that it takes its providers from. Without
// it, or with an empty path, that is DefaultLibrary and whatever folder it was built with. A path without a slash is a name for
// the dynamic linker to look for. Nothing is loaded yet, so a bad path is an error later.
//
// A process has one library. To choose the same again is fine, as is the file that has been loaded; anything else is an error,
// unless loading what was chosen before has failed. The failure of a call is remembered until SetLibrary is called, which also
// makes the next call try again.
//
// The file is looked at before it is loaded, since the dynamic linker crashes on one that ends early. That cannot help if it is cut
// short, or replaced by such a one, between the look and the end of loading. Nor are the libraries that it needs looked at, nor a file
// that only ld.so.cache leads to. Of a name, the first file in the folders where the dynamic linker looks has to be sound, even if
// ld.so.cache would lead to another. A path must not have a $.
//
// The providers in the folder, lib*-rdmav*.so, come before those that the library finds by itself. They are passed on in
// RDMAV_DRIVERS, in the environment that C code sees, in place of what the user has there, when the library is loaded: no other
// thread may be reading the environment in C code then. A setuid program cannot choose them, since the library does not listen.
//
// Any goroutine may call it at any time.
func SetLibrary(path, providers string) error {
	path, err := libraryPath(path)
	if err != nil {
		return err
	}
	drivers, err := driverList(providers)
	if err != nil {
		return err
	}
	cpath, cdrivers := C.CString(path), C.CString(drivers)
	defer C.free(unsafe.Pointer(cpath))
	defer C.free(unsafe.Pointer(cdrivers))
	var f C.struct_ibvgo_failure
	if C.ibvgo_choose(cpath, cdrivers, &f) == 0 {
		return nil
	}
	e := libraryError(&f)
	if e.Reason == AlreadyChosen {
		e.Path, e.Detail = path, e.Path+": "+e.Detail
	}
	return e
}

// libraryPath makes a path with a slash absolute, since the working directory may have changed when it is used.
func libraryPath(path string) (string, error) {
	switch {
	case path == "":
		return DefaultLibrary, nil
	case strings.IndexByte(path, 0) >= 0:
		return "", &LibraryError{Path: path, Reason: BadPath, Detail: "it has a NUL byte"}
	case !strings.Contains(path, "/"):
		return path, nil
	}
	abs, err := filepath.Abs(path)
	switch {
	case err != nil:
		return "", &LibraryError{Path: path, Reason: BadPath, Detail: err.Error()}
	case strings.Contains(abs, "$"):
		// $LIB, for example, so that another file would be loaded than the one that was looked at.
		return "", &LibraryError{Path: abs, Reason: BadPath, Detail: "it has a $, after which the dynamic linker would put in folders"}
	}
	return abs, nil
}

// Load loads the library, if no call has done so. The error is a *LibraryError. Any goroutine may call it at any time.
func Load() error {
	var f C.struct_ibvgo_failure
	if C.ibvgo_load(&f) == 0 {
		return nil
	}
	return libraryError(&f)
}

// Loaded returns the path of the library in use, as the dynamic linker has it, and whether one is. It loads nothing.
func Loaded() (path string, ok bool) {
	var b [4096]C.char
	if C.ibvgo_loaded(&b[0], C.size_t(len(b))) == 0 {
		return "", false
	}
	return C.GoString(&b[0]), true
}

// Has reports whether the library has what v needs, and loads it if no call has done so. It is false if that fails, and of what is
// no verb.
func Has(v Verb) bool {
	if v < 0 || int(v) >= NumVerbs {
		return false
	}
	if v.info().symbol == "" {
		return Load() == nil
	}
	return function(v) != nil
}

// function returns the library's function.
func function(v Verb) unsafe.Pointer {
	return unsafe.Pointer(C.ibvgo_fn(C.int(v)))
}

var reasonOf = map[C.int]Reason{
	C.IBVGO_MISSING:      Missing,
	C.IBVGO_ARCHITECTURE: WrongArchitecture,
	C.IBVGO_NOT_LIBRARY:  NotLibrary,
	C.IBVGO_TRUNCATED:    Truncated,
	C.IBVGO_UNREADABLE:   Unreadable,
	C.IBVGO_UNLOADABLE:   Unloadable,
	C.IBVGO_NOT_VERBS:    NotVerbs,
	C.IBVGO_OTHER_COPY:   OtherCopy,
	C.IBVGO_CHOSEN:       AlreadyChosen,
	C.IBVGO_LOADED:       AlreadyChosen,
	C.IBVGO_NO_MEMORY:    NoMemory,
	C.IBVGO_NO_GLIBC:     NoPlatform,
	C.IBVGO_STATIC:       NoPlatform,
}

func libraryError(f *C.struct_ibvgo_failure) *LibraryError {
	return &LibraryError{Path: C.GoString(&f.path[0]), Reason: reasonOf[f.reason], Detail: C.GoString(&f.text[0])}
}
