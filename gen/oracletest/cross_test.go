package oracletest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/compiler"
	"github.com/goverbs/ibv/gen/load"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/probe"
	"github.com/goverbs/ibv/gen/record"
	"github.com/goverbs/ibv/internal/headers"
	"github.com/goverbs/ibv/internal/oracle"
)

// foreignArchs returns the architectures whose compilers are to be asked: those of other machines, if IBV_CROSS=1 ('make
// test-arch' sets it). Then a missing compiler is a failure.
func foreignArchs(t testing.TB) map[string][]string {
	t.Helper()
	if os.Getenv("IBV_CROSS") == "" {
		t.Skip("cross compilers are not asked; 'make test-arch', or IBV_CROSS=1, asks them")
	}
	found := map[string][]string{}
	for _, arch := range model.Archs {
		if arch == runtime.GOARCH {
			continue
		}
		cc, err := compiler.ForArch(arch)
		if err != nil {
			t.Fatal(err)
		}
		found[arch] = cc
	}
	return found
}

// compareArch compares a model with the cross compiler for arch in all ways.
func compareArch(t *testing.T, m *model.Model, cc, include []string, header, arch string, own func(string) bool) {
	t.Helper()
	diffs := compareTypes(m, oracle.DWARF(t, cc, include, header), arch, own)
	diffs = append(diffs, compareMacros(m, oracle.Macros(t, cc, include, header, own))...)
	found, err := probe.Check(probe.Options{CC: cc, Include: include, Header: header, Arch: arch}, m)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range found {
		diffs = append(diffs, d.String())
	}
	report(t, diffs)
}

// TestReleasesCross compares each release's headers, read on this machine for all architectures, with each cross compiler's view.
func TestReleasesCross(t *testing.T) {
	archs := foreignArchs(t)
	for _, release := range headers.Releases {
		for _, h := range headerFamily {
			t.Run(release+"/"+filepath.Base(h), func(t *testing.T) {
				include := includeOf(t, release)
				m := loadHeader(t, h, include)
				for arch, cc := range archs {
					t.Run(arch, func(t *testing.T) {
						t.Parallel()
						compareArch(t, m, cc, include, h, arch, ownFile)
					})
				}
			})
		}
	}
}

// TestCasesCross compares the small headers with each cross compiler.
func TestCasesCross(t *testing.T) {
	archs := foreignArchs(t)
	for _, file := range caseFiles(t) {
		m, err := load.Load(load.Options{Header: file})
		var le *load.Error
		if errors.As(err, &le) {
			continue // TestCases says whether that is right
		}
		own := func(f string) bool { return f == file }
		for arch, cc := range archs {
			t.Run(filepath.Base(file)+"/"+arch, func(t *testing.T) {
				compareArch(t, m, cc, nil, file, arch, own)
			})
		}
	}
}

// TestRandomCross compares random headers, half of them with bit-fields, with each cross compiler.
func TestRandomCross(t *testing.T) {
	archs := foreignArchs(t)
	var count tally
	fmt.Printf("random headers for cross compilers: IBV_SEED=%d IBV_RANDOM=%d\n", *randomSeed, *randomCount)
	t.Run("headers", func(t *testing.T) {
		seed := (*randomSeed + 1) * 1_000_000_000
		for done := int64(0); done < int64(*randomCount)/4; done += batchTypes / 2 {
			b := newBatch(&seed, batchTypes/2, flavour{bits: done/batchTypes%2 == 0})
			t.Run(b.name, func(t *testing.T) {
				t.Parallel()
				file, refused := b.refuse(t, nil)
				count.add(b, refused)
				m, err := load.Load(load.Options{Header: file})
				if err != nil {
					t.Fatal(err)
				}
				for arch, cc := range archs {
					if diffs := archDifferences(t, m, cc, file, arch); len(diffs) > 0 {
						t.Errorf("%s: %d differences, the first: %s", arch, len(diffs), diffs[0])
						b.minimise(t, func(t testing.TB, file string) []string {
							m, err := load.Load(load.Options{Header: file, Archs: []string{arch}})
							if err != nil {
								return nil
							}
							return archDifferences(t, m, cc, file, arch)
						})
						break
					}
				}
			})
		}
	})
	count.check(t, "plain", maxPlainRefused)
}

func archDifferences(t testing.TB, m *model.Model, cc []string, file, arch string) []string {
	types, err := oracle.Read(cc, nil, file)
	if err != nil {
		t.Fatalf("%s refuses the random header: %v", cc[0], err)
	}
	diffs := compareTypes(m, types, arch, func(f string) bool { return f == file })
	return append(diffs, probeDifferences(t, m, cc, file, arch)...)
}

// A header gives the same model whatever machine reads it: with the compilers of other architectures, and their headers of libc and
// the kernel.
func TestSameModelOnAnyHost(t *testing.T) {
	for _, release := range headers.Releases {
		include := []string{headers.Include(t, release)}
		want, err := record.Write(loadHeader(t, "infiniband/verbs.h", include))
		if err != nil {
			t.Fatal(err)
		}
		for arch, cc := range foreignArchs(t) {
			m, err := load.Load(load.Options{Header: "infiniband/verbs.h", Include: include, CC: strings.Join(cc, " ")})
			if err != nil {
				t.Errorf("%s of %s on %s: %v", "verbs.h", release, arch, err)
				continue
			}
			if got, err := record.Write(m); err != nil || !bytes.Equal(got, want) {
				t.Errorf("verbs.h of %s read on %s: another model than here (%v)", release, arch, err)
			}
		}
	}
}
