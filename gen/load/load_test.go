package load

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/compiler"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/internal/headers"
)

// load loads a header of a release.
func load(t testing.TB, header, release string, archs ...string) *model.Model {
	t.Helper()
	m, err := Load(Options{Header: header, Include: []string{headers.Include(t, release)}, Archs: archs})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func aggregateNamed(t testing.TB, m *model.Model, name string) model.Aggregate {
	t.Helper()
	i := slices.IndexFunc(m.Aggregates, func(a model.Aggregate) bool { return a.Name == name })
	if i < 0 {
		t.Fatalf("no %s", name)
	}
	return m.Aggregates[i]
}

// Sizes on amd64 and arm64, by release, as gcc and aarch64-linux-gnu-gcc give them.
func TestSizes(t *testing.T) {
	fixed := map[string][2]int64{
		"ibv_wc": {48, 48}, "ibv_wq_init_attr": {48, 48}, "ibv_send_wr": {128, 128}, "ibv_qp_attr": {144, 144}, "ibv_sge": {16, 16},
		"ibv_context": {328, 336}, "ibv_cq": {128, 136}, "ibv_cq_ex": {288, 296}, "ibv_qp": {160, 168}, "ibv_srq": {128, 136},
		"ibv_wq": {152, 160}, "pthread_mutex_t": {40, 48}, "pthread_cond_t": {48, 48},
	}
	changed := map[string]map[string][2]int64{
		"33.2": {"verbs_context": {648, 656}, "ibv_port_attr": {52, 52}, "ibv_qp_ex": {344, 352}},
		"44.0": {"verbs_context": {648, 656}, "ibv_port_attr": {52, 52}, "ibv_qp_ex": {352, 360}},
		"56.1": {"verbs_context": {648, 656}, "ibv_port_attr": {56, 56}, "ibv_qp_ex": {360, 368}},
		"65.0": {"verbs_context": {696, 704}, "ibv_port_attr": {56, 56}, "ibv_qp_ex": {360, 368}},
	}
	for _, r := range headers.Releases {
		t.Run(r, func(t *testing.T) {
			m := load(t, "infiniband/verbs.h", r)
			want := maps.Clone(fixed)
			maps.Copy(want, changed[r])
			for name, size := range want {
				got := aggregateNamed(t, m, name).Size
				if got.At("amd64") != size[0] || got.At("arm64") != size[1] || got.At("s390x") != size[0] {
					t.Errorf("%s has size %s, want %d and on arm64 %d", name, got, size[0], size[1])
				}
			}
		})
	}
}

func TestOffsets(t *testing.T) {
	want := map[string][]int64{
		"ibv_wc":           {0, 8, 12, 16, 20, 24, 28, 32, 36, 40, 42, 44, 45},
		"ibv_wq_init_attr": {0, 8, 12, 16, 24, 32, 40, 44},
	}
	m := load(t, "infiniband/verbs.h", "44.0")
	for name, offsets := range want {
		var got []int64
		for _, f := range aggregateNamed(t, m, name).Members {
			got = append(got, f.Offset.V)
		}
		if !slices.Equal(got, offsets) {
			t.Errorf("offsets of %s are %v, want %v", name, got, offsets)
		}
	}
}

// Every header of every release loads, and all its numbers are those of the compilers that are asked.
func TestHeaders(t *testing.T) {
	for _, r := range headers.Releases {
		for _, h := range []string{"infiniband/verbs.h", "rdma/rdma_cma.h", "infiniband/mlx5dv.h", "infiniband/efadv.h"} {
			t.Run(r+"/"+h, func(t *testing.T) {
				m := load(t, h, r)
				if len(m.Aggregates) < 100 || len(m.Enums) < 80 || len(m.Funcs) < 150 || m.Release != r || m.Level == "" || m.Kernel == "" {
					t.Errorf("%d aggregates, %d enums, %d functions, release %q, level %q, kernel %q",
						len(m.Aggregates), len(m.Enums), len(m.Funcs), m.Release, m.Level, m.Kernel)
				}
				agree(t, m, "#include <"+h+">", askedArchs(), "-isystem", headers.Include(t, r))
			})
		}
	}
}

func TestItems(t *testing.T) {
	m := load(t, "infiniband/verbs.h", "65.0")
	for _, tt := range []struct {
		name    string
		kind    model.FuncKind
		hidden  bool
		version string
	}{
		{"ibv_query_port", model.Exported, true, "IBVERBS_1.1"},
		{"ibv_reg_mr", model.Exported, true, "IBVERBS_1.1"},
		{"ibv_create_qp", model.Exported, false, "IBVERBS_1.1"},
		{"ibv_wr_opcode_str", model.Exported, false, ""}, // declared, but not public in the library
		{"ibv_poll_cq", model.Inline, false, ""},
		{"ibv_create_wq", model.Inline, false, ""},
		{"vext_field_avail", model.Macro, false, ""},
	} {
		i := slices.IndexFunc(m.Funcs, func(f model.Func) bool { return f.Name == tt.name })
		if i < 0 {
			t.Errorf("no function %s", tt.name)
			continue
		}
		if f := m.Funcs[i]; f.Kind != tt.kind || f.Hidden != tt.hidden || f.Version != tt.version {
			t.Errorf("%s is %s, hidden %v, version %q, want %s, %v, %q", tt.name, f.Kind, f.Hidden, f.Version, tt.kind, tt.hidden, tt.version)
		}
	}
	i := slices.IndexFunc(m.Funcs, func(f model.Func) bool { return f.Name == "ibv_poll_cq" })
	var params []string
	for _, p := range m.Funcs[i].Params {
		params = append(params, p.Type.C(p.Name, nil))
	}
	if got := strings.Join(params, ", "); got != "struct ibv_cq *cq, int num_entries, struct ibv_wc *wc" {
		t.Errorf("parameters of ibv_poll_cq: %s", got)
	}
	if !slices.ContainsFunc(m.Aliases, func(a model.Alias) bool {
		return a.Name == "ibv_flow_action_esp" && a.Tag == "ib_uverbs_flow_action_esp"
	}) {
		t.Error("ibv_flow_action_esp is no alias")
	}
	if slices.ContainsFunc(m.Consts, func(c model.Const) bool { return c.Name == "EINVAL" || c.Name == "IBV_ALLOCATOR_USE_DEFAULT" }) {
		t.Error("a constant of libc, or a pointer, is among the constants")
	}
}

func TestNoCompiler(t *testing.T) {
	for _, cc := range []string{"no-such-compiler-anywhere", "false"} {
		_, err := Load(Options{Header: "infiniband/verbs.h", CC: cc})
		if !errors.Is(err, compiler.ErrNone) || strings.Contains(err.Error(), "\n") {
			t.Errorf("with the compiler %s: %v", cc, err)
		}
	}
}

func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	huge := file("huge.h", "")
	if err := os.Truncate(huge, 1<<30); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ header, want string }{
		{"infiniband/no_such.h", "infiniband/no_such.h: no such header in .*: install libibverbs-dev"},
		{dir, "no such header"},
		{"", "no header given"},
		{file("a.h", "\n#include <rdma/rdma_cmaa.h>\n"), "a.h:2: no such header: <rdma/rdma_cmaa.h>: install librdmacm-dev"},
		{file("b.h", "#include <linux/no_such.h>\n"), "b.h:1: no such header: .*: install linux-libc-dev"},
		{file("c.h", "int x\n\n;struct {"), "c.h:3: "},
		{file("d.h", "#include \"d.h\"\n"), "d.h: included without end"},
		{file("e.h", "#include \"e.h\"\n#include \"e.h\"\n"), "e.h: included without end"},
		{file("f.h", "#define A "+strings.Repeat("(", 100)+strings.Repeat(")", 100)), "f.h:1: parentheses of a directive"},
		{file("g.h", "int x[1"+strings.Repeat("+(1", 300)+strings.Repeat(")", 300)+"];"), "g.h:1: parentheses are nested"},
		{file("h.h", "#define A ((\nA 1 ))"), "h.h:1: a macro with unbalanced"},
		{file("i.h", "enum { A = "+strings.Repeat("-~", 400_000)+"1 };"), "i.h:1: too large"},
		{file("j.h", "#if "+strings.Repeat("(", 100)+"1"+strings.Repeat(")", 100)+"\n#endif"), "j.h:1: parentheses of a directive"},
		{file("k.h", "#define a "+strings.Repeat("-~", 500)+"\n#define b "+strings.Repeat("a ", 90)+"\n#define c "+
			strings.Repeat("b ", 90)+"\nenum { A = c 1 };"), "too large"},
		{huge, "huge.h: too large: 1073741824 bytes"},
		{file("l.h", "/* unclosed"), "l.h"},
		{file("n.h", "int x;\nint \ue011;"), "n.h:2: a character of Unicode's private"},
		{file("o.h", "enum"), "o.h:1: after enum stands neither"},
		{file("p.h", "int x;\nstruct s { int a"), "p.h:2: unexpected end of file: { is not closed"},
		{file("q.h", "int x[ } ];"), "q.h:1: } closes nothing"},
		{file("m.h", "#error no\n"), "m.h:1: "},
	} {
		_, err := Load(Options{Header: tt.header})
		checkError(t, tt.header, err, tt.want)
	}
	_, err := Load(Options{Header: "infiniband/verbs.h", Archs: []string{"mips"}})
	checkError(t, "architecture", err, `unknown architecture "mips"`)
	_, err = Load(Options{Header: "infiniband/verbs.h", Include: []string{dir + "/none"}})
	checkError(t, "folder", err, "not a folder")
}

func TestPragmaOnce(t *testing.T) {
	m, err := Load(Options{Header: write(t, "#pragma once\n#include \"h.h\"\nstruct s { int x; };\n"), Archs: []string{"amd64"}})
	if err != nil || len(m.Aggregates) != 1 || !strings.HasSuffix(m.Aggregates[0].Pos, "h.h:3") {
		t.Fatalf("%+v, %v", m, err)
	}
}

func BenchmarkOneArch(b *testing.B) {
	for b.Loop() {
		load(b, "infiniband/verbs.h", "44.0", "amd64")
	}
}

func BenchmarkAllArchs(b *testing.B) {
	for b.Loop() {
		load(b, "infiniband/verbs.h", "44.0")
	}
}
