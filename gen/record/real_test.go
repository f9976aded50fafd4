package record_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/goverbs/ibv/gen/load"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/record"
	"github.com/goverbs/ibv/gen/records"
	"github.com/goverbs/ibv/internal/headers"
)

// TestRealRoundTrip writes and reads what real headers declare.
func TestRealRoundTrip(t *testing.T) {
	opts := cmp.Options{cmp.AllowUnexported(model.Value{}), cmpopts.EquateEmpty(),
		cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Pos" }, cmp.FilterValues(isText, cmp.Ignore()))}
	const release = "65.0"
	for _, header := range []string{"infiniband/verbs.h", "rdma/rdma_cma.h", "infiniband/mlx5dv.h", "infiniband/efadv.h"} {
		t.Run(header, func(t *testing.T) {
			want, err := load.Load(load.Options{Header: header, Include: []string{headers.Include(t, release)}, Release: release})
			if err != nil {
				t.Fatal(err)
			}
			first, err := record.Write(want)
			if err != nil {
				t.Fatal(err)
			}
			got, err := record.Read(first, "x.json")
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got, opts...); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if again, err := record.Write(got); err != nil || !bytes.Equal(first, again) {
				t.Errorf("the record changed when written again: %v", err)
			}
		})
	}
}

// isText holds for the position of an item, which is no part of a record, and not for that of a bit-field, which is a number.
func isText(_, _ string) bool { return true }

func TestRealUnion(t *testing.T) {
	all, err := records.All()
	if err != nil {
		t.Fatal(err)
	}
	u, err := record.Union(all, []string{"verbs_context"})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := record.Write(u); err != nil {
		t.Error(err)
	} else if _, err := record.Read(b, "union"); err != nil {
		t.Error(err)
	}
	sizes := []struct {
		tag, since   string
		amd64, arm64 int64
	}{
		{"ibv_wc", "33.2", 48, 48}, {"ibv_wq_init_attr", "33.2", 48, 48}, {"ibv_send_wr", "33.2", 128, 128},
		{"ibv_qp_attr", "33.2", 144, 144}, {"ibv_sge", "33.2", 16, 16}, {"ibv_port_attr", "33.2", 56, 56},
		{"ibv_qp_ex", "33.2", 360, 368}, {"ibv_cq_init_attr_ex", "33.2", 56, 56}, {"ibv_parent_domain_init_attr", "33.2", 48, 48},
		{"ibv_mr_init_attr", "65.0", 72, 72}, {"verbs_context", "33.2", 696, 704}, {"ibv_context", "33.2", 328, 336},
		{"ibv_cq", "33.2", 128, 136}, {"ibv_cq_ex", "33.2", 288, 296}, {"ibv_qp", "33.2", 160, 168}, {"ibv_wq", "33.2", 152, 160},
	}
	aggregates := map[string]*model.Aggregate{}
	for i := range u.Aggregates {
		aggregates[u.Aggregates[i].Name] = &u.Aggregates[i]
	}
	for _, tt := range sizes {
		a := aggregates[tt.tag]
		if a == nil {
			t.Errorf("no struct %s", tt.tag)
			continue
		}
		if a.Size.At("amd64") != tt.amd64 || a.Size.At("arm64") != tt.arm64 || a.Since != tt.since {
			t.Errorf("struct %s: size %s since %s, want %d, on arm64 %d, since %s", tt.tag, a.Size, a.Since, tt.amd64, tt.arm64, tt.since)
		}
	}
	members := []struct {
		tag, member string
		at          int64
		since       string
	}{
		{"ibv_wc", "status", 8, "33.2"}, {"ibv_wc", "imm_data", 24, "33.2"}, {"ibv_wc", "dlid_path_bits", 45, "33.2"},
		{"ibv_port_attr", "port_cap_flags2", 48, "33.2"}, {"ibv_port_attr", "active_speed_ex", 52, "56.1"},
		{"ibv_qp_ex", "wr_atomic_write", 344, "44.0"}, {"ibv_qp_ex", "wr_flush", 352, "56.1"},
		{"ibv_qp_init_attr_ex", "send_ops_flags", 128, "33.2"},
		{"verbs_context", "query_port", 48, "33.2"}, {"verbs_context", "reg_mr_ex", 24, "65.0"},
	}
	for _, tt := range members {
		found := false
		for _, f := range aggregates[tt.tag].Flat() {
			if f.Name != tt.member {
				continue
			}
			found = true
			if f.At.At("amd64") != tt.at || f.Since != tt.since {
				t.Errorf("%s.%s: at %s since %s, want %d since %s", tt.tag, tt.member, f.At, f.Since, tt.at, tt.since)
			}
		}
		if !found {
			t.Errorf("no member %s.%s", tt.tag, tt.member)
		}
	}
	since := map[string]string{}
	for _, f := range u.Funcs {
		since[f.Name+"()"] = f.Since
	}
	for _, e := range u.Enums {
		for _, x := range e.Enumerators {
			since[x.Name] = x.Since
		}
	}
	for name, want := range map[string]string{"ibv_create_wq()": "33.2", "IBV_WC_SUCCESS": "33.2", "IBV_LINK_LAYER_ETHERNET": "33.2",
		"IBV_WR_ATOMIC_WRITE": "44.0", "IBV_WR_FLUSH": "56.1", "ibv_reg_mr_ex()": "65.0"} {
		if since[name] != want {
			t.Errorf("%s: since %q, want %s", name, since[name], want)
		}
	}
}
