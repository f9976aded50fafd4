package bind

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
	"github.com/goverbs/ibv/gen/records"
)

func verbs(t testing.TB) Input {
	t.Helper()
	all, err := records.All()
	if err != nil {
		t.Fatal(err)
	}
	ov, err := overlay.For(all[0].Header)
	if err != nil {
		t.Fatal(err)
	}
	return input(t, ov, all...)
}

// Every function of verbs.h has a call or a reason, nothing is guessed, and what has no call is a short list.
func TestVerbsComplete(t *testing.T) {
	in := verbs(t)
	p, err := Plan(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Verbs) != len(in.Union.Funcs) || len(p.Verbs) < 160 {
		t.Errorf("%d verbs for %d functions", len(p.Verbs), len(in.Union.Funcs))
	}
	var none []string
	for _, v := range p.Verbs {
		if (v.Go == "") == (v.Reason == "") || (v.Go == "") != (v.Thunk == "") {
			t.Errorf("%s: call %q, thunk %q, reason %q", v.C, v.Go, v.Thunk, v.Reason)
		}
		if v.Go == "" {
			none = append(none, v.C)
		} else if v.Guessed {
			t.Errorf("%s: the overlay does not tell how it fails", v.C)
		}
		if (v.Kind == model.Exported && v.Version != "") != (v.Stub != nil) {
			t.Errorf("%s %s %s: stub %v", v.Kind, v.C, v.Version, v.Stub)
		}
	}
	want := strings.Fields("RDMA_UAPI_PTR ___ibv_query_port __ibv_reg_mr __ibv_reg_mr_iova _ibv_query_comp_cntr_caps _ibv_query_gid_ex " +
		"_ibv_query_gid_table ibv_wr_opcode_str verbs_get_ctx verbs_get_ctx_op vext_field_avail")
	if d := cmp.Diff(want, none); d != "" {
		t.Errorf("without a call (-want +got):\n%s", d)
	}
}

// How some are called, written down by hand from the header.
func TestVerbsWays(t *testing.T) {
	p, err := Plan(verbs(t))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, v := range p.Verbs {
		text := map[How]string{ThroughStub: "stub", ThroughHeader: "header", ThroughSized: "sized", ThroughObject: "object"}[v.How]
		for _, a := range v.Params {
			if a.Grow != nil {
				text += " " + a.C
			}
		}
		if v.Stub != nil && v.Stub.Owner.Param >= 0 {
			text += " of " + v.Stub.Params[v.Stub.Owner.Param].C
		}
		got[v.C] = text
	}
	for c, want := range map[string]string{
		"ibv_alloc_pd": "stub of context", "ibv_dealloc_pd": "stub of pd", "ibv_reg_mr": "header of pd", "ibv_query_port": "header port_attr of context",
		"ibv_get_device_list": "stub", "ibv_open_device": "stub of device", "ibv_free_buf": "stub of buf", "ibv_ack_async_event": "stub of event",
		"ibv_qp_to_qp_ex": "stub of qp", "ibv_get_cq_event": "stub of channel", "ibv_create_wq": "header wq_init_attr", "ibv_modify_wq": "header",
		"ibv_query_device_ex": "header input attr", "ibv_create_cq_ex": "header cq_attr", "ibv_create_flow": "header", "ibv_start_poll": "header attr",
		"ibv_query_gid_ex": "sized", "ibv_query_gid_table": "sized", "ibv_query_comp_cntr_caps": "sized", "ibv_wr_flush": "object",
		"ibv_wr_atomic_write": "object", "ibv_wr_send": "header", "ibv_poll_cq": "header", "ibv_destroy_wq": "header",
	} {
		if got[c] != want {
			t.Errorf("%s: %q, want %q", c, got[c], want)
		}
	}
}

// The two Go files declare the same.
func TestVerbsSignatures(t *testing.T) {
	files := emitted(t, verbs(t))
	calls, nocgo := signatures(t, files["calls_generated.go"]), signatures(t, files["nocgo_generated.go"])
	if d := cmp.Diff(calls, nocgo); d != "" || len(calls) < 150 {
		t.Errorf("%d calls (-calls +nocgo):\n%s", len(calls), d)
	}
	for name, want := range map[string]string{
		"AllocPD":       "func(context *ibv.Context) (*ibv.PD, error)",
		"QueryPort":     "func(context *ibv.Context, portNum uint8, portAttr *ibv.PortAttr) error",
		"PollCQ":        "func(cq *ibv.CQ, numEntries int32, wc *ibv.WC) (int, error)",
		"PostSend":      "func(qp *ibv.QP, wr *ibv.SendWR, badWR **ibv.SendWR) syscall.Errno",
		"ReregMR":       "func(mr *ibv.MR, flags int32, pd *ibv.PD, addr uintptr, length uint64, access int32) (int32, error)",
		"GetPKeyIndex":  "func(context *ibv.Context, portNum uint8, pkey ibv.Be16) (int32, error)",
		"GetCQEvent":    "func(channel *ibv.CompChannel, cq **ibv.CQ, cqContext *uintptr) error",
		"GetDeviceList": "func(numDevices *int32) (**ibv.Device, error)",
		"WCStatusStr":   "func(status ibv.WCStatus) string",
		"EndPoll":       "func(cq *ibv.CQEx)",
		"WCReadOpcode":  "func(cq *ibv.CQEx) ibv.WCOpcode",
		"QueryGIDTable": "func(context *ibv.Context, entries *ibv.GIDEntry, maxEntries uint64, flags uint32) (int, error)",
	} {
		if calls[name] != want {
			t.Errorf("%s: %s, want %s", name, calls[name], want)
		}
	}
}

func signatures(t *testing.T, src []byte) map[string]string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	r := map[string]string{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			var b strings.Builder
			if err := printer.Fprint(&b, fset, fn.Type); err != nil {
				t.Fatal(err)
			}
			r[fn.Name.Name] = b.String()
		}
	}
	return r
}

// The overlay's texts speak of calls and parameters by the names that they have.
func TestVerbsDocNames(t *testing.T) {
	in := verbs(t)
	p, err := Plan(in)
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]bool{}
	for _, v := range p.Verbs {
		calls[v.Go] = true
	}
	// Words that begin like a call, and camel-case words that begin in lower case.
	call := regexp.MustCompile(`\b(Ack|Alloc|Close|Create|Dealloc|Dereg|Destroy|Free|Get|Query|Reg|Rereg|Start|Next|End|Unimport|WR)[A-Z]\w*`)
	param := regexp.MustCompile(`\b[a-z]+[A-Z]\w*`)
	other := map[string]bool{"WRID": true, "WRFlags": true, "ReregMRErrCode": true, "RegMRIOVA": true}
	for _, v := range p.Verbs {
		params := map[string]bool{}
		for _, a := range v.Params {
			params[a.Go] = true
		}
		for _, w := range call.FindAllString(v.Doc+v.Reason, -1) {
			if !calls[w] && !other[w] {
				t.Errorf("%s: no call %s", v.C, w)
			}
		}
		for _, w := range param.FindAllString(v.Doc, -1) {
			if !params[w] {
				t.Errorf("%s: no parameter %s", v.C, w)
			}
		}
	}
}
