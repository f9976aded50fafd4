//go:build linux && cgo

package cverbs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// driverList returns what RDMAV_DRIVERS has to be for the providers in folder: their paths without the suffix -rdmavN.so, which
// each release of the library appends for itself. It is empty for no folder.
func driverList(folder string) (string, error) {
	if folder == "" {
		return "", nil
	}
	bad := func(detail string) (string, error) {
		return "", &LibraryError{Path: folder, Reason: BadPath, Detail: "providers: " + detail}
	}
	if os.Getuid() != os.Geteuid() {
		return bad("the library takes none from a setuid program")
	}
	abs, err := filepath.Abs(folder)
	if err != nil {
		return bad(err.Error())
	}
	if strings.ContainsAny(abs, ":;\x00") {
		return bad("the path must not have colons, semicolons or NUL bytes")
	}
	entries, err := os.ReadDir(abs)
	if err != nil {
		return bad(err.Error())
	}
	var drivers []string
	for _, e := range entries {
		if d, ok := driver(e.Name()); ok {
			drivers = append(drivers, filepath.Join(abs, d))
		}
	}
	slices.Sort(drivers)
	if drivers = slices.Compact(drivers); len(drivers) == 0 {
		return bad("the folder has no lib*-rdmav*.so")
	}
	return strings.Join(drivers, ":"), nil
}

// driver returns a provider's file name without its suffix. Names that would not survive the list are left out.
func driver(name string) (string, bool) {
	base, ok := strings.CutSuffix(name, ".so")
	i := strings.LastIndex(base, "-rdmav")
	if !ok || i < 0 || !strings.HasPrefix(base, "lib") || strings.Trim(base[i+len("-rdmav"):], "0123456789") != "" {
		return "", false
	}
	return base[:i], !strings.ContainsAny(base, ":;")
}
