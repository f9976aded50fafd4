package oracletest

import (
	"encoding/json"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/probe"
	"github.com/goverbs/ibv/internal/headers"
)

// TestAssertions compiles the assertions of each release's model with gcc and clang.
func TestAssertions(t *testing.T) {
	for _, release := range headers.Releases {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			m := loadHeader(t, "infiniband/verbs.h", includeOf(t, release))
			for _, cc := range []string{"gcc", "clang"} {
				checkAssertions(t, m, []string{cc}, includeOf(t, release), runtime.GOARCH)
			}
		})
	}
}

// TestAssertionsCross does so with the cross compilers.
func TestAssertionsCross(t *testing.T) {
	archs := foreignArchs(t)
	for _, release := range headers.Releases {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			m := loadHeader(t, "infiniband/verbs.h", includeOf(t, release))
			for arch, cc := range archs {
				checkAssertions(t, m, cc, includeOf(t, release), arch)
			}
		})
	}
}

// checkAssertions wants the assertions of m to compile, and those of copies with one wrong number each to fail, naming it.
func checkAssertions(t *testing.T, m *model.Model, cc, include []string, arch string) {
	t.Helper()
	for _, mode := range []probe.Mode{probe.Exact, probe.AtLeast} {
		if msg := compileAssertions(t, cc, include, probe.Assertions(m, arch, mode)); msg != "" {
			t.Errorf("%s: %s", cc[0], msg)
		}
	}
	refused := func(mode probe.Mode, want string, spoil func(*model.Model)) {
		copied := clone(t, m)
		spoil(copied)
		if msg := compileAssertions(t, cc, include, probe.Assertions(copied, arch, mode)); !strings.Contains(msg, want) {
			t.Errorf("%s: with a wrong number, want %q in the messages, got %q", cc[0], want, msg)
		}
	}
	for want, spoil := range spoilt {
		refused(probe.AtLeast, want, spoil)
	}
	// The header's union is more aligned than that, which a later release may do.
	refused(probe.Exact, "_Alignof(union ibv_gid) is not 4", func(m *model.Model) { aggregateOf(m, "ibv_gid").Align.V = 4 })
}

// spoilt changes one number; the key is what the compiler must say.
var spoilt = map[string]func(*model.Model){
	"offsetof(struct ibv_wc, vendor_err) is not 20": func(m *model.Model) { memberOf(m, "ibv_wc", "vendor_err").Offset.V = 20 },
	"sizeof(struct ibv_sge) is not 24":              func(m *model.Model) { aggregateOf(m, "ibv_sge").Size.V = 24 },
	"_Alignof(union ibv_gid) is not 16":             func(m *model.Model) { aggregateOf(m, "ibv_gid").Align.V = 16 },
	"IBV_WC_RECV is not 127":                        func(m *model.Model) { setEnumerator(m, "IBV_WC_RECV", 127) },
}

func aggregateOf(m *model.Model, name string) *model.Aggregate {
	for i := range m.Aggregates {
		if m.Aggregates[i].Name == name {
			return &m.Aggregates[i]
		}
	}
	panic("no " + name)
}

func memberOf(m *model.Model, aggregate, name string) *model.Member {
	a := aggregateOf(m, aggregate)
	for i := range a.Members {
		if a.Members[i].Name == name {
			return &a.Members[i]
		}
	}
	panic("no " + aggregate + "." + name)
}

func setEnumerator(m *model.Model, name string, v int64) {
	for i := range m.Enums {
		for j := range m.Enums[i].Enumerators {
			if e := &m.Enums[i].Enumerators[j]; e.Name == name {
				e.Value = model.Int(v)
			}
		}
	}
}

func clone(t testing.TB, m *model.Model) *model.Model {
	t.Helper()
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	c := &model.Model{}
	if err := json.Unmarshal(b, c); err != nil {
		t.Fatal(err)
	}
	return c
}

// compileAssertions returns the compiler's messages, empty if it accepts src without a warning.
func compileAssertions(t testing.TB, cc, include []string, src []byte) string {
	t.Helper()
	args := append(cc[1:len(cc):len(cc)], "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c")
	for _, dir := range include {
		args = append(args, "-isystem", dir)
	}
	cmd := exec.Command(cc[0], append(args, "-")...)
	cmd.Stdin = strings.NewReader(string(src))
	out, err := cmd.CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	return string(out)
}
