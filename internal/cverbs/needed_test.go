//go:build linux && cgo

package cverbs

import (
	"debug/elf"
	"os"
	"strings"
	"testing"
)

// A program with this package, which the test is, starts without the library: it neither names it nor leaves a symbol to it.
func TestNotLinked(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	libs, err := f.ImportedLibraries()
	if err != nil || len(libs) == 0 {
		t.Fatalf("needed libraries %v, %v", libs, err)
	}
	for _, lib := range libs {
		if strings.Contains(lib, "ibverbs") || strings.Contains(lib, "rdma") || strings.Contains(lib, "mlx") {
			t.Errorf("the program needs %s", lib)
		}
	}
	symbols, err := f.ImportedSymbols()
	if err != nil || len(symbols) == 0 {
		t.Fatalf("undefined symbols %v, %v", symbols, err)
	}
	for _, s := range symbols {
		if strings.HasPrefix(strings.TrimLeft(s.Name, "_"), "ibv") {
			t.Errorf("the program refers to %s", s.Name)
		}
	}
}
