package oracletest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/goverbs/ibv/gen/load"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/probe"
	"github.com/goverbs/ibv/internal/headers"
	"github.com/goverbs/ibv/internal/oracle"
)

// headerFamily are the headers that must load, of every release.
var headerFamily = []string{"infiniband/verbs.h", "rdma/rdma_cma.h", "infiniband/mlx5dv.h", "infiniband/efadv.h"}

// gcc is this machine's compiler, whose DWARF is what models are compared with.
var gcc = []string{"gcc"}

// TestReleases compares every type, member, enumerator and macro of each release's headers, and of the installed ones, in both
// directions with gcc's view.
func TestReleases(t *testing.T) {
	for _, release := range append([]string{"installed"}, headers.Releases...) {
		t.Run(release, func(t *testing.T) {
			include := includeOf(t, release)
			for _, h := range headerFamily {
				t.Run(filepath.Base(h), func(t *testing.T) {
					t.Parallel()
					compareHeader(t, h, include)
				})
			}
		})
	}
}

// includeOf returns the include folders of a release; none for the installed headers.
func includeOf(t testing.TB, release string) []string {
	if release != "installed" {
		return []string{headers.Include(t, release)}
	}
	if _, err := os.Stat("/usr/include/infiniband/verbs.h"); err != nil {
		t.Fatalf("rdma-core's headers are not installed: 'apt-get install libibverbs-dev librdmacm-dev' (%v)", err)
	}
	return nil
}

func compareHeader(t *testing.T, header string, include []string) {
	m := loadHeader(t, header, include)
	report(t, compareTypes(m, oracle.DWARF(t, gcc, include, header), runtime.GOARCH, ownFile))
	report(t, compareMacros(m, oracle.Macros(t, gcc, include, header, ownFile)))
	report(t, compareFuncs(m, oracle.Functions(t, gcc, include, header), ownFile))
	found, err := probe.Check(probe.Options{CC: gcc, Include: include, Header: header}, m)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range found {
		t.Error(d)
	}
}

func loadHeader(t testing.TB, header string, include []string) *model.Model {
	t.Helper()
	m, err := load.Load(load.Options{Header: header, Include: include})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// report makes an error of each difference, up to a number that can be read.
func report(t *testing.T, diffs []string) {
	t.Helper()
	for i, d := range diffs {
		if i == 40 {
			t.Errorf("and %d more", len(diffs)-i)
			break
		}
		t.Error(d)
	}
}
