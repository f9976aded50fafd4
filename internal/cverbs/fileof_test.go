//go:build linux && cgo

package cverbs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goverbs/ibv/internal/cverbs/internal/ctest"
	"github.com/goverbs/ibv/internal/cverbs/internal/testprovider"
)

// A function is in its library, and one of the program itself in the program's file.
func TestFileOf(t *testing.T) {
	if file := filepath.Base(FileOf(ctest.Symbol("getenv"))); !strings.HasPrefix(file, "libc.so") && !strings.HasPrefix(file, "libc-") {
		t.Errorf("getenv is in %q", file)
	}
	if file := filepath.Base(FileOf(uintptr(testprovider.Function("alloc_pd")))); file != filepath.Base(os.Args[0]) {
		t.Errorf("a function of %s is in %q", os.Args[0], file)
	}
	for _, address := range []uintptr{0, 1} {
		if file := FileOf(address); file != "" {
			t.Errorf("%#x is in %q", address, file)
		}
	}
}
