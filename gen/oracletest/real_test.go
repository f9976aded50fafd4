package oracletest

import (
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/load"
	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/probe"
	"github.com/goverbs/ibv/internal/headers"
)

// TestRealAnswers looks at places of the real headers that bindings got wrong before; the answers are written by hand.
func TestRealAnswers(t *testing.T) {
	for _, release := range headers.Releases {
		t.Run(release, func(t *testing.T) {
			m := loadHeader(t, "infiniband/verbs.h", includeOf(t, release))

			// Members of unnamed unions, the unions in any order.
			offsets := flatten(aggregateOf(m, "ibv_send_wr"), 0, "")
			for path, want := range map[string]int64{"imm_data": 36, "wr.rdma.remote_addr": 40, "bind_mw.mw": 80, "tso.hdr": 80, "bind_mw.bind_info": 96} {
				if got, ok := offsets[path]; !ok || got != want {
					t.Errorf("ibv_send_wr.%s at %d (%v), want %d", path, got, ok, want)
				}
			}

			// A struct that grew.
			port := aggregateOf(m, "ibv_port_attr")
			want := map[string]int64{"33.2": 52, "44.0": 52, "56.1": 56, "65.0": 56}[release]
			if got := port.Size.At("amd64"); got != want {
				t.Errorf("ibv_port_attr has %d bytes, want %d", got, want)
			}
			caps := memberOf(m, "ibv_port_attr", "port_cap_flags2")
			if caps.Offset.At("amd64") != 48 || caps.Size.At("amd64") != 2 {
				t.Errorf("port_cap_flags2 at %v, %v bytes, want 48, 2", caps.Offset, caps.Size)
			}
			if want == 56 {
				if got := memberOf(m, "ibv_port_attr", "active_speed_ex").Offset.At("amd64"); got != 52 {
					t.Errorf("active_speed_ex at %d, want 52", got)
				}
			}

			// Mask bits and the struct that they speak of.
			if got := describe(m, "enum ibv_qp_init_attr_mask"); !strings.Contains(got, "IBV_QP_INIT_ATTR_CREATE_FLAGS 4 IBV_QP_INIT_ATTR_MAX_TSO_HEADER 8 "+
				"IBV_QP_INIT_ATTR_IND_TABLE 16 IBV_QP_INIT_ATTR_RX_HASH 32 IBV_QP_INIT_ATTR_SEND_OPS_FLAGS 64") {
				t.Errorf("ibv_qp_init_attr_mask: %s", got)
			}
			if got := aggregateOf(m, "ibv_qp_init_attr_ex").Size.At("amd64"); got != 136 {
				t.Errorf("ibv_qp_init_attr_ex has %d bytes, want 136", got)
			}
			if got := memberOf(m, "ibv_qp_init_attr_ex", "send_ops_flags").Offset.At("amd64"); got != 128 {
				t.Errorf("send_ops_flags at %d, want 128", got)
			}

			// An enum without a tag.
			if got := describe(m, "enumerators of IBV_LINK_LAYER_UNSPECIFIED"); got != "size 4 unsigned: IBV_LINK_LAYER_UNSPECIFIED 0 "+
				"IBV_LINK_LAYER_INFINIBAND 1 IBV_LINK_LAYER_ETHERNET 2" {
				t.Errorf("link layers: %s", got)
			}

			// Macros in front of functions whose exported symbols are frozen.
			for _, f := range []string{"ibv_query_port", "ibv_reg_mr", "ibv_reg_mr_iova"} {
				if got := describe(m, "func "+f); got != "exported, hidden true" {
					t.Errorf("%s: %s, want exported, hidden true", f, got)
				}
			}
		})
	}
}

// flatten returns the offsets of members by their paths, those of unnamed aggregates included.
func flatten(a *model.Aggregate, at int64, prefix string) map[string]int64 {
	all := map[string]int64{}
	for i := range a.Members {
		m := &a.Members[i]
		path, off := prefix+m.Name, at+m.Offset.At("amd64")
		if m.Name != "" {
			all[path] = off
			path += "."
		}
		if m.Type.Body != nil {
			for k, v := range flatten(m.Type.Body, off, path) {
				all[k] = v
			}
		}
	}
	return all
}

// TestGrownElement wants the growth of a struct that is passed in arrays to be seen: 16 bytes, then 24.
func TestGrownElement(t *testing.T) {
	for release, want := range map[string]int64{"44.0": 16, "56.1": 16, "65.0": 24} {
		m := loadHeader(t, "infiniband/mlx5dv.h", includeOf(t, release))
		if got := aggregateOf(m, "mlx5dv_flow_action_attr").Size.At("amd64"); got != want {
			t.Errorf("%s: mlx5dv_flow_action_attr has %d bytes, want %d", release, got, want)
		}
	}
}

// BenchmarkProbe asks gcc for every number of verbs.h.
func BenchmarkProbe(b *testing.B) {
	include := includeOf(b, "65.0")
	m, err := load.Load(load.Options{Header: "infiniband/verbs.h", Include: include})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if found, err := probe.Check(probe.Options{CC: gcc, Include: include, Header: "infiniband/verbs.h"}, m); err != nil || len(found) > 0 {
			b.Fatal(found, err)
		}
	}
}
