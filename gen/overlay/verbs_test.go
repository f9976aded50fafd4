package overlay_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
	"github.com/goverbs/ibv/gen/record"
	"github.com/goverbs/ibv/gen/records"
)

// verbs returns verbs.h's overlay, and verbs.h as all recorded releases together have it.
func verbs(t *testing.T) (*overlay.Overlay, *model.Model) {
	t.Helper()
	o, err := overlay.For("infiniband/verbs.h")
	if err != nil {
		t.Fatal(err)
	}
	all, err := records.All()
	if err != nil {
		t.Fatal(err)
	}
	m, err := record.Union(all, o.Front)
	if err != nil {
		t.Fatal(err)
	}
	return o, m
}

func TestVerbsMatches(t *testing.T) {
	o, m := verbs(t)
	if err := o.Validate(m); err != nil {
		t.Error(err)
	}
}

// Every struct, member, enum, enumerator, constant and function has a sentence, and whether an enum is a set of bits is said.
func TestVerbsSaysAll(t *testing.T) {
	o, m := verbs(t)
	check := func(doc, format string, args ...any) {
		t.Helper()
		if !sentence.MatchString(doc) {
			t.Errorf("no sentence for "+format+": %q", append(args, doc)...)
		}
	}
	for _, a := range m.Aggregates {
		check(o.Structs[a.Name].Doc, "%s", a.Name)
		members(&a, "", func(path string) { check(o.Structs[a.Name].Members[path].Doc, "%s.%s", a.Name, path) })
	}
	for _, e := range m.Enums {
		key := e.Name
		if key == "" {
			key = e.Enumerators[0].Name
		}
		check(o.Enums[key].Doc, "enum %s", key)
		if o.Enums[key].Flags == nil {
			t.Errorf("enum %s: are its values bits?", key)
		}
		for _, v := range e.Enumerators {
			said := o.Enums[key].Values[v.Name]
			check(said.Doc, "%s", v.Name)
			if strings.HasSuffix(v.Name, "_RESERVED") != (said.Sentinel != "") {
				t.Errorf("%s: sentinel %q", v.Name, said.Sentinel)
			}
		}
	}
	for _, c := range m.Consts {
		check(o.Consts[c.Name], "%s", c.Name)
	}
	for _, f := range m.Funcs {
		said := o.Functions[f.Name]
		check(said.Doc+said.Skip, "%s", f.Name)
	}
}

var sentence = regexp.MustCompile(`^[^ ].*[.]$`)

func members(a *model.Aggregate, prefix string, f func(path string)) {
	for _, m := range a.Members {
		inner := prefix
		if m.Name != "" {
			f(prefix + m.Name)
			inner += m.Name + "."
		}
		t := m.Type
		for t.Elem != nil {
			t = *t.Elem
		}
		if t.Body != nil {
			members(t.Body, inner, f)
		}
	}
}

// Facts that the generated package rests on, written down a second time.
func TestVerbsFacts(t *testing.T) {
	o, _ := verbs(t)
	for path, want := range map[string]string{
		"ibv_wc wc_flags":                        "ibv_wc_flags",
		"ibv_wq_init_attr comp_mask":             "ibv_wq_init_attr_mask",
		"ibv_wq_init_attr create_flags":          "ibv_wq_flags",
		"ibv_wq_attr attr_mask":                  "ibv_wq_attr_mask",
		"ibv_send_wr send_flags":                 "ibv_send_flags",
		"ibv_port_attr link_layer":               "IBV_LINK_LAYER_UNSPECIFIED",
		"ibv_rx_hash_conf rx_hash_fields_mask":   "ibv_rx_hash_fields",
		"ibv_rx_hash_conf rx_hash_function":      "ibv_rx_hash_function_flags",
		"ibv_qp_attr qp_access_flags":            "ibv_access_flags",
		"ibv_cq_init_attr_ex wc_flags":           "ibv_create_cq_wc_flags",
		"ibv_qp_init_attr_ex send_ops_flags":     "ibv_qp_create_send_ops_flags",
		"ibv_device_attr_ex device_cap_flags_ex": "",
	} {
		tag, member, _ := strings.Cut(path, " ")
		if got := o.Structs[tag].Members[member].Type; got != want {
			t.Errorf("type of %s: %q, want %q", path, got, want)
		}
	}
	for key, want := range map[string]bool{"ibv_wc_flags": true, "ibv_wc_status": false, "ibv_wc_opcode": false, "ibv_wq_flags": true,
		"ibv_wq_state": false, "ibv_access_flags": true, "ibv_qp_attr_mask": true, "ibv_flow_spec_type": false} {
		if got := o.Enums[key].Flags; got == nil || *got != want {
			t.Errorf("flags of %s: not %v", key, want)
		}
	}
	wc := o.Structs["ibv_wc"].Members
	if !wc["imm_data"].Raw || !wc["invalidated_rkey"].Raw {
		t.Error("imm_data and invalidated_rkey of ibv_wc have checked methods, so their accessors must be raw")
	}
	if o.Enums["IBV_LINK_LAYER_UNSPECIFIED"].Go != "LinkLayer" {
		t.Error("the link layers have no Go name")
	}
}

// The file is edited by hand, so it keeps to one form.
func TestVerbsForm(t *testing.T) {
	data, err := os.ReadFile("verbs.json")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), data) {
		t.Error("verbs.json is not indented by two spaces, as json.Indent does")
	}
	if d := unsorted(t, data); d != "" {
		t.Errorf("verbs.json: %s is out of order", d)
	}
}

// unsorted returns a key of the file's maps of C names that stands after a greater one.
func unsorted(t *testing.T, data []byte) string {
	t.Helper()
	last := map[int]string{}
	for line := range strings.Lines(string(data)) {
		key := strings.TrimLeft(line, " ")
		depth := len(line) - len(key)
		for d := range last {
			if d > depth {
				delete(last, d)
			}
		}
		key, isKey := strings.CutPrefix(key, `"`)
		if !isKey || depth != 4 && depth != 8 {
			continue
		}
		key, _, _ = strings.Cut(key, `"`)
		if key < last[depth] {
			return key
		}
		last[depth] = key
	}
	return ""
}
