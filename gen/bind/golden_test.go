package bind

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGolden(t *testing.T) {
	y := readToy(t)
	files := emitted(t, y.ours)
	if *update {
		y.write(t, files)
		return
	}
	want, got := map[string]string{}, map[string]string{}
	for _, f := range y.ar.Files {
		if strings.Contains(f.Name, "_generated") {
			want[f.Name] = string(f.Data)
		}
	}
	for n, b := range files {
		got[n] = string(b)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("run with -update if this is meant (-want +got):\n%s", d)
	}
}

// Nothing depends on the order of maps or of the lists in a model.
func TestSameBytes(t *testing.T) {
	y := readToy(t)
	want := emitted(t, y.ours)
	for range 5 {
		funcs := y.ours.Union.Funcs
		for i := range funcs {
			j := (i*7 + 3) % len(funcs)
			funcs[i], funcs[j] = funcs[j], funcs[i]
		}
		if d := cmp.Diff(want, emitted(t, y.ours)); d != "" {
			t.Fatalf("another run, other bytes:\n%s", d)
		}
	}
}

// What has no call says why.
func TestReasons(t *testing.T) {
	p, err := Plan(readToy(t).ours)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"___ibv_reg": "Its name says that it is there for the header's own use.", "_ibv_list": "List calls it, with the right size.",
		"ibv_larger": "It is arithmetic.", "ibv_write": "It takes a variable number of arguments, which Go cannot pass.",
		"ibv_unknown": "The header has it since 2.0, and what it does cannot be told from the records.",
		"ibv_arrays":  "Its parameter attr may be an array of num_attr elements, each of a size that depends on the release.",
	}
	got := map[string]string{}
	for _, v := range p.Verbs {
		if (v.Go == "") == (v.Reason == "") {
			t.Errorf("%s: call %q, reason %q", v.C, v.Go, v.Reason)
		}
		if v.Go == "" {
			got[v.C] = v.Reason
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("reasons (-want +got):\n%s", d)
	}
}
