// Package headers finds the rdma-core headers that scripts/headers.sh has unpacked, for tests.
package headers

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Releases are the rdma-core releases with an ABI record, oldest first.
var Releases = []string{"33.2", "44.0", "56.1", "65.0"}

// Root returns the module's folder.
func Root(t testing.TB) string {
	t.Helper()
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("the source folder is not known")
	}
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// Include returns the include folder of release's unpacked headers. It fails the test if they have not been fetched, and skips
// it only if fetching found that no Debian suite carries the release any more.
func Include(t testing.TB, release string) string {
	t.Helper()
	dir := filepath.Join(Root(t), ".cache", "headers", release)
	if why, err := os.ReadFile(filepath.Join(dir, "GONE")); err == nil {
		t.Skipf("%s", why)
	}
	inc := filepath.Join(dir, "usr", "include")
	if _, err := os.Stat(filepath.Join(inc, "infiniband", "verbs.h")); err != nil {
		t.Fatalf("no headers of rdma-core %s: run 'make headers' (%v)", release, err)
	}
	return inc
}
