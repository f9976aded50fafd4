package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestList(t *testing.T) {
	tests := []struct {
		args string
		want []string // fields of lines that must be there
		not  string
	}{
		{"", []string{"struct ibv_wc WC 33.2 48 bytes", "union ibv_gid GID 33.2 16 bytes", "enum ibv_wc_status WCStatus 33.2 4 bytes, unsigned",
			"enumerator IBV_WC_RECV IBV_WC_RECV 33.2 = 128", "function ibv_create_wq CreateWQ 33.2 inline"}, ""},
		{"-kind function", []string{"function ibv_alloc_pd AllocPD 33.2 exported IBVERBS_1.1", "function ibv_create_wq CreateWQ 33.2 inline",
			"function _ibv_query_gid_ex 33.2 exported IBVERBS_1.11: QueryGIDEx calls it, with the right size.",
			"function ibv_reg_mr RegMR 33.2 exported IBVERBS_1.1, behind a macro"}, "struct "},
		{"-kind functions,enums -release 33.2", []string{"function ibv_alloc_pd AllocPD 33.2 exported IBVERBS_1.1"}, "struct "},
		{"-kind struct,alias -release 33.2", []string{"struct ibv_wc WC 33.2 48 bytes",
			"alias ibv_flow_action_esp FlowActionESP 33.2 for ib_uverbs_flow_action_esp"}, "enum "},
	}
	for _, tt := range tests {
		r := verbsgen(nil, append([]string{"list"}, strings.Fields(tt.args)...)...)
		if r.status != 0 || r.stderr != "" {
			t.Fatalf("list %s: status %d, %s", tt.args, r.status, r.stderr)
		}
		lines := map[string]bool{}
		for l := range strings.Lines(r.stdout) {
			l = strings.Join(strings.Fields(l), " ")
			lines[l] = true
			if tt.not != "" && strings.HasPrefix(l, tt.not) {
				t.Errorf("list %s has %q", tt.args, l)
			}
		}
		for _, want := range tt.want {
			if !lines[want] {
				t.Errorf("list %s lacks %q", tt.args, want)
			}
		}
	}
}

// What only a later release has is not in an older one's list.
func TestListRelease(t *testing.T) {
	list := func(args ...string) map[string]item {
		r := verbsgen(nil, append([]string{"list", "-json"}, args...)...)
		var all []item
		if err := json.Unmarshal([]byte(r.stdout), &all); err != nil || r.status != 0 {
			t.Fatalf("list %v: %v, %s", args, err, r.stderr)
		}
		byName := map[string]item{}
		for _, it := range all {
			byName[it.Kind+" "+it.C] = it
		}
		return byName
	}
	all, old := list(), list("-release", "33.2")
	if len(old) == 0 || len(old) >= len(all) {
		t.Errorf("33.2 has %d items, all releases %d", len(old), len(all))
	}
	later := 0
	for name, it := range all {
		if _, ok := old[name]; ok != (it.Since == "33.2") {
			t.Errorf("%s is since %s; in 33.2: %v", name, it.Since, ok)
		}
		if it.Since != "33.2" {
			later++
		}
		if it.Kind == "function" && (it.Go == "") == (it.NoGo == "") {
			t.Errorf("%s: call %q, reason %q, want one of them", name, it.Go, it.NoGo)
		}
		if it.Go == "" && it.Kind != "function" && !strings.HasPrefix(it.C, "the enum of ") {
			t.Errorf("%s has no Go name", name)
		}
	}
	if want := (item{Kind: "function", C: "ibv_query_port", Go: "QueryPort", Since: "33.2", How: "exported", Version: "IBVERBS_1.1", Hidden: true}); old["function ibv_query_port"] != want {
		t.Errorf("ibv_query_port: %+v, want %+v", old["function ibv_query_port"], want)
	}
}
