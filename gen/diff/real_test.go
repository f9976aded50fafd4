package diff_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/diff"
	"github.com/goverbs/ibv/gen/load"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/records"
	"github.com/goverbs/ibv/internal/headers"
)

// TestReleases: rdma-core has kept its promise for verbs.h, so each release has compatible additions to the ones before.
func TestReleases(t *testing.T) {
	all, err := records.All()
	if err != nil {
		t.Fatal(err)
	}
	for i, old := range all {
		if s := diff.Diff(old, old).Status(); s != 0 {
			t.Errorf("%s to itself: status %d, want 0", old.Release, s)
		}
		for _, new := range all[i+1:] {
			if r := diff.Diff(old, new); r.Status() != 4 {
				t.Errorf("status %d, want 4:\n%s", r.Status(), r.Text())
			}
			if s := diff.Diff(new, old).Status(); s != 12 {
				t.Errorf("%s back to %s: status %d, want 12", new.Release, old.Release, s)
			}
		}
	}
}

// TestFacts looks for changes that are known from the releases' history.
func TestFacts(t *testing.T) {
	old, err := records.Get("44.0")
	if err != nil {
		t.Fatal(err)
	}
	new, err := records.Get("65.0")
	if err != nil {
		t.Fatal(err)
	}
	text := diff.Diff(old, new).Text()
	for _, want := range []string{
		"grown struct: struct ibv_port_attr: size 52 in 44.0, 56 in 65.0 (the header passes its size: macro ibv_query_port)",
		"grown struct: struct ibv_qp_ex: size 352 on amd64 ppc64le riscv64 s390x, 360 on arm64 in 44.0, 360 on amd64 ppc64le riscv64 s390x, 368 on arm64 in 65.0 (the library allocates it: ibv_qp_to_qp_ex)",
		"grown struct: struct verbs_context: size 648 on amd64 ppc64le riscv64 s390x, 656 on arm64 in 44.0, 696 on amd64 ppc64le riscv64 s390x, 704 on arm64 in 65.0 (it grows at its front and tells its size)",
		"appended member: struct ibv_port_attr.active_speed_ex: offset 52, size 4, uint32_t in 65.0",
		"added name: struct ibv_mr_init_attr: 72 bytes in 65.0",
		"added name: IBV_WR_FLUSH: 14, in enum ibv_wr_opcode in 65.0",
		"added name: ibv_reg_mr_ex(): ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no line %q", want)
		}
	}
}

// TestMovedMember moves each member of a copy of ibv_wc by one byte.
func TestMovedMember(t *testing.T) {
	for i := range 8 {
		old, err := records.Get("65.0")
		if err != nil {
			t.Fatal(err)
		}
		new, err := records.Get("65.0")
		if err != nil {
			t.Fatal(err)
		}
		j := slices.IndexFunc(new.Aggregates, func(a model.Aggregate) bool { return a.Name == "ibv_wc" })
		m := &new.Aggregates[j].Members[i]
		m.Offset = m.Offset.Add(model.N(1))
		r := diff.Diff(old, new)
		if r.Status() != 12 || len(r.Changes) == 0 || r.Changes[0].Kind != diff.MovedMember || r.Changes[0].Item != "struct ibv_wc" {
			t.Errorf("member %d moved: status %d:\n%s", i, r.Status(), r.Text())
		}
	}
}

// TestFlowAction: mlx5dv_flow_action_attr grew though callers pass arrays of it.
func TestFlowAction(t *testing.T) {
	var models []*model.Model
	for _, release := range []string{"56.1", "65.0"} {
		m, err := load.Load(load.Options{Header: "infiniband/mlx5dv.h", Include: []string{headers.Include(t, release)},
			Release: release, Archs: []string{runtime.GOARCH}})
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, m)
	}
	r := diff.Diff(models[0], models[1])
	if r.Status() != 12 {
		t.Errorf("status %d, want 12", r.Status())
	}
	for _, c := range r.Changes {
		if c.Item == "struct mlx5dv_flow_action_attr" && c.Member == "" {
			if c.Kind != diff.GrownInArrays || c.Class != diff.Incompatible || c.Old != "size 16" || c.New != "24" {
				t.Errorf("%+v", c)
			}
			return
		}
	}
	t.Errorf("no change of struct mlx5dv_flow_action_attr:\n%s", r.Text())
}
