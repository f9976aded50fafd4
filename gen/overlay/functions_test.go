package overlay_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/model"
)

// How functions report failure, written down a second time. The manual pages leave out or misstate some of these.
func TestVerbsFailures(t *testing.T) {
	o, _ := verbs(t)
	for fails, names := range map[string]string{
		"null": "ibv_open_device ibv_alloc_pd ibv_create_cq ibv_create_wq ibv_reg_mr ibv_get_device_list ibv_qp_to_qp_ex " +
			"ibv_alloc_buf ibv_create_ah_from_wc ibv_open_qp",
		"errno": "ibv_destroy_wq ibv_modify_wq ibv_modify_qp ibv_query_port ibv_query_gid_ex ibv_post_send ibv_post_wq_recv " +
			"ibv_req_notify_cq ibv_wr_complete ibv_start_poll ibv_next_poll ibv_fork_init ibv_set_ece ibv_memcpy_to_dm " +
			"ibv_resolve_eth_l2_from_gid",
		"minus1": "ibv_query_gid ibv_query_pkey ibv_get_pkey_index ibv_get_device_index ibv_get_async_event ibv_get_cq_event " +
			"ibv_close_device ibv_init_ah_from_wc ibv_rereg_mr ibv_dm_export_dmabuf_fd ibv_export_buf_dmabuf_fd",
		"negative": "ibv_poll_cq ibv_query_gid_table",
		"none": "ibv_end_poll ibv_ack_cq_events ibv_free_device_list ibv_rate_to_mult mbps_to_ibv_rate ibv_inc_rkey " +
			"ibv_query_qp_data_in_order ibv_is_fork_initialized ibv_cq_ex_to_cq ibv_get_device_guid ibv_wc_status_str",
	} {
		for name := range strings.FieldsSeq(names) {
			if got := o.Functions[name].Fails; got != fails {
				t.Errorf("%s: fails %q, want %q", name, got, fails)
			}
		}
	}
}

// A result decides which forms of failure there can be: only a pointer can be NULL, and void says nothing.
func TestVerbsFailureFitsResult(t *testing.T) {
	o, m := verbs(t)
	for _, f := range m.Funcs {
		said := o.Functions[f.Name]
		if said.Skip != "" {
			continue
		}
		allowed := []string{"errno", "minus1", "negative", "none"}
		switch f.Result.Kind {
		case model.Void, model.EnumRef:
			allowed = []string{"none"}
		case model.Pointer:
			allowed = []string{"null", "none"}
		}
		if !slices.Contains(allowed, said.Fails) {
			t.Errorf("%s: fails %q, but its result allows only %q", f.Name, said.Fails, allowed)
		}
	}
}

// The calls that programs make for each message are hot, and nothing else is.
func TestVerbsHot(t *testing.T) {
	o, m := verbs(t)
	hot := map[string]bool{}
	for name := range strings.FieldsSeq("poll_cq start_poll next_poll end_poll req_notify_cq post_send post_recv post_wq_recv " +
		"post_srq_recv post_srq_ops") {
		hot["ibv_"+name] = true
	}
	for _, f := range m.Funcs {
		said := o.Functions[f.Name]
		want := said.Skip == "" && (hot[f.Name] || strings.HasPrefix(f.Name, "ibv_wc_read_") || strings.HasPrefix(f.Name, "ibv_wr_"))
		if said.Hot != want {
			t.Errorf("%s: hot is %v, want %v", f.Name, said.Hot, want)
		}
	}
}

// Nothing is without a binding but what Go cannot call or need not.
func TestVerbsSkipped(t *testing.T) {
	o, m := verbs(t)
	var got []string
	for _, f := range m.Funcs {
		if o.Functions[f.Name].Skip != "" {
			got = append(got, f.Name)
		}
	}
	want := "[RDMA_UAPI_PTR ___ibv_query_port __ibv_reg_mr __ibv_reg_mr_iova ibv_wr_opcode_str verbs_get_ctx verbs_get_ctx_op vext_field_avail]"
	if fmt.Sprint(got) != want {
		t.Errorf("skipped: %v, want %s", got, want)
	}
}
