package load

import (
	"testing"

	"github.com/goverbs/ibv/internal/headers"
)

func TestReleases(t *testing.T) {
	for _, r := range headers.Releases {
		for _, h := range []string{"infiniband/verbs.h", "rdma/rdma_cma.h", "infiniband/mlx5dv.h", "infiniband/efadv.h"} {
			t.Run(r+"/"+h, func(t *testing.T) {
				m, err := Load(Options{Header: h, Include: []string{headers.Include(t, r)}})
				if err != nil {
					t.Fatal(err)
				}
				t.Log(len(m.Aggregates), len(m.Enums), len(m.Consts), len(m.Aliases), len(m.Funcs), m.Kernel)
			})
		}
	}
}

func BenchmarkOne(b *testing.B) {
	for b.Loop() {
		if _, err := Load(Options{Header: "infiniband/verbs.h", Include: []string{headers.Include(b, "44.0")}, Archs: []string{"amd64"}}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAll(b *testing.B) {
	for b.Loop() {
		if _, err := Load(Options{Header: "infiniband/verbs.h", Include: []string{headers.Include(b, "44.0")}}); err != nil {
			b.Fatal(err)
		}
	}
}
