package main

import (
	"strings"
	"testing"
)

func TestUsageErrors(t *testing.T) {
	tests := []struct {
		args string
		want string // on standard error, after "verbsgen: "
	}{
		{"", "no command; see 'verbsgen help'"},
		{"genrate", `unknown command "genrate", did you mean generate?; see 'verbsgen help'`},
		{"frobnicate", `unknown command "frobnicate"; see 'verbsgen help'`},
		{"help frobnicate", `unknown command "frobnicate"; see 'verbsgen help'`},
		{"help diff list", "help takes one command; see 'verbsgen help'"},
		{"generate -chek", "generate: unknown flag -chek, did you mean -check?; see 'verbsgen help generate'"},
		{"verify -frob", "verify: unknown flag -frob (known: -I -header -json -release); see 'verbsgen help verify'"},
		{"generate -arch 386", `generate: unknown architecture "386" (known: amd64, arm64, ppc64le, riscv64, s390x); see 'verbsgen help generate'`},
		{"generate -arch amd64,", `generate: unknown architecture "" (known: amd64, arm64, ppc64le, riscv64, s390x); see 'verbsgen help generate'`},
		{"generate -package 1x", `generate: "1x" cannot be a package's name; see 'verbsgen help generate'`},
		{"generate -o", "generate: flag needs an argument: -o; see 'verbsgen help generate'"},
		{"generate there", `generate: unexpected argument "there"; see 'verbsgen help generate'`},
		{"verify 65.0", `verify: unexpected argument "65.0"; see 'verbsgen help verify'`},
		{"dump -- -x", `dump: unexpected argument "-x"; see 'verbsgen help dump'`},
		{"diff 44.0", "diff: two things to compare are needed, 1 are given; see 'verbsgen help diff'"},
		{"diff 44.0 -json 65.0 x", "diff: two things to compare are needed, 3 are given; see 'verbsgen help diff'"},
		{"layout", "layout: no struct is named; see 'verbsgen help layout'"},
		{"layout ibv_wc -arch sparc", `layout: unknown architecture "sparc" (known: amd64, arm64, ppc64le, riscv64, s390x); see 'verbsgen help layout'`},
		{"list -kind typedef", `list: unknown kind "typedef" (known: struct, union, enum, enumerator, constant, alias, function); see 'verbsgen help list'`},
	}
	for _, tt := range tests {
		r := verbsgen(nil, strings.Fields(tt.args)...)
		if r.status != 3 || r.stdout != "" || r.stderr != "verbsgen: "+tt.want+"\n" {
			t.Errorf("verbsgen %s: status %d, stdout %q, stderr\n%swant status 3 and\nverbsgen: %s", tt.args, r.status, r.stdout, r.stderr, tt.want)
		}
	}
}

// A release without a record is named with those that have one.
func TestUnknownRelease(t *testing.T) {
	for _, args := range []string{"diff 1.0 33.2", "diff 33.2 1.0", "list -release 1.0", "layout ibv_wc -release 1.0"} {
		r := verbsgen(nil, strings.Fields(args)...)
		if r.status != 3 || r.stdout != "" || !strings.Contains(r.stderr, `unknown release "1.0" (known: 33.2`) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("verbsgen %s: status %d, stdout %q, stderr %q", args, r.status, r.stdout, r.stderr)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"ibv_wc", "ibv_qp", "ibv_wq_init_attr", "WC", "WQInitAttr", "ibv_qp_init_attr"}
	tests := []struct {
		name string
		want string
	}{
		{"ibv_cw", "ibv_wc ibv_qp"},
		{"wqinitattr", "WQInitAttr"},
		{"init_attr", "ibv_qp_init_attr ibv_wq_init_attr"},
		{"something", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(nearest(tt.name, names, 2), " "); got != tt.want {
			t.Errorf("nearest(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}
