package plan

import "testing"

func TestNames(t *testing.T) {
	for _, tt := range []struct{ c, want string }{
		{"wr_id", "WRID"}, {"qp_num", "QPNum"}, {"wc_flags", "WCFlags"}, {"dlid_path_bits", "DLIDPathBits"}, {"pkey_index", "PKeyIndex"},
		{"sg_list", "SGList"}, {"num_sge", "NumSGE"}, {"lkey", "LKey"}, {"invalidated_rkey", "InvalidatedRKey"}, {"ipv4", "IPv4"},
		{"max_pkeys", "MaxPKeys"}, {"flags", "Flags"}, {"_compat_query", "XCompatQuery"}, {"__pad", "XPad"}, {"_", "X"}, {"x__y", "XY"},
		{"ABI_placeholder1", "ABIPlaceholder1"}, {"type", "Type"}, {"_2nd", "X2nd"},
	} {
		if got := camel(tt.c); got != tt.want {
			t.Errorf("camel(%q) = %s, want %s", tt.c, got, tt.want)
		}
	}
	for _, tt := range []struct {
		c       string
		typedef bool
		want    string
	}{
		{"ibv_wc", false, "WC"}, {"ibv_wq_init_attr", false, "WQInitAttr"}, {"ib_uverbs_x", false, "IBUverbsX"}, {"mlx5dv_x", false, "Mlx5dvX"},
		{"rdma_cm_id", false, "RDMACMID"}, {"ibv_flow_action_esp", false, "FlowActionESP"}, {"verbs_context", false, "VerbsContext"},
		{"_ibv_device_ops", false, "XDeviceOps"}, {"pthread_mutex_t", true, "PthreadMutex"}, {"a_t", false, "AT"}, {"ibv_2", false, "X2"},
	} {
		if got := typeName(tt.c, tt.typedef); got != tt.want {
			t.Errorf("typeName(%q) = %s, want %s", tt.c, got, tt.want)
		}
	}
	for c, want := range map[string]string{"IBV_WC_SUCCESS": "IBV_WC_SUCCESS", "_FOO": "X_FOO", "__foo": "X__foo", "range": "X_range", "nil": "X_nil"} {
		if got := constName(c); got != want {
			t.Errorf("constName(%q) = %s, want %s", c, got, want)
		}
	}
	for _, tt := range []struct{ c, want, param string }{
		{"ibv_reg_mr_iova2", "RegMRIOVA2", "ibvRegMRIOVA2"}, {"bad_wr", "BadWR", "badWR"}, {"eth_mac", "EthMAC", "ethMAC"}, {"wr", "WR", "wr"},
		{"_type", "XType", "type"}, {"mbps_to_ibv_rate", "MbpsToIbvRate", "mbpsToIbvRate"}, {"", "X", ""},
	} {
		if got, param := FuncName(tt.c), ParamName(tt.c); got != tt.want || param != tt.param {
			t.Errorf("%q: function %s, want %s; parameter %s, want %s", tt.c, got, tt.want, param, tt.param)
		}
	}
}
