package plan

import (
	"testing"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/overlay"
)

func enumOf(name string, values ...int64) model.Enum {
	e := model.Enum{Name: name, Size: 4}
	for i, v := range values {
		e.Enumerators = append(e.Enumerators, model.Enumerator{Name: string(rune('A' + i)), Value: model.Int(v)})
	}
	return e
}

func TestFlags(t *testing.T) {
	for _, tt := range []struct {
		e    model.Enum
		want bool
	}{
		{enumOf("ibv_wc_flags", 1, 2, 4), true},
		{enumOf("ibv_x_flags2", 0, 1, 8), true},
		{enumOf("ibv_x_mask", 1, 2, 3), true},
		{enumOf("ibv_general_caps", 1, 2), true},
		{enumOf("ibv_cap_bits", 1, 2), true},
		{enumOf("ibv_rx_hash_fields", 1, 1<<31), true},
		{enumOf("ibv_x_flags", 1, 2, 12), false}, // bits 4 and 8 have no names
		{enumOf("ibv_x_flags", 1, -1), false},
		{enumOf("ibv_x_flags", 0), false},
		{enumOf("ibv_atomic_cap", 0, 1, 2), false},
		{enumOf("ibv_wc_status", 0, 1, 2), false},
		{enumOf("ibv_flags_type", 1, 2), false},
		{enumOf("", 1, 2), false},
	} {
		p := &planner{m: &model.Model{}, ov: &overlay.Overlay{}}
		if got := p.isFlags(&tt.e); got != tt.want {
			t.Errorf("%s %v: flags %v, want %v", tt.e.Name, tt.e.Enumerators, got, tt.want)
		}
		no, yes := false, true
		for _, says := range []*bool{&no, &yes} {
			p.ov = &overlay.Overlay{Enums: map[string]overlay.Enum{enumKey(&tt.e): {Flags: says}}}
			if got := p.isFlags(&tt.e); got != *says {
				t.Errorf("%s: flags %v though the overlay says %v", tt.e.Name, got, *says)
			}
		}
	}
}

// TestStringNames: of several names for a value the first counts, unless it only marks the end of the list.
func TestStringNames(t *testing.T) {
	e := model.Enum{Name: "ibv_e", Size: 4, Signed: true, Enumerators: []model.Enumerator{
		{Name: "E_RESERVED", Value: model.Int(2)}, {Name: "TWO", Value: model.Int(2)}, {Name: "DEUX", Value: model.Int(2)},
		{Name: "MINUS", Value: model.Int(-1)}, {Name: "ZERO"},
	}}
	p := mustPlan(t, &model.Model{Header: "x.h", Enums: []model.Enum{e}})
	got := ""
	for _, n := range p.Enums[0].Names {
		got += n.C + "=" + n.Value.String() + " "
	}
	if want := "MINUS=-1 ZERO=0 TWO=2 "; got != want {
		t.Errorf("names %q, want %q", got, want)
	}
	doc := p.Enums[0].Group.Consts[0].Doc
	if len(doc) != 3 || doc[2] != "Deprecated: it marks the next free value, moves from release to release, and the library refuses it." {
		t.Errorf("the sentinel's comment is %q", doc)
	}
}

func TestConstants(t *testing.T) {
	m := &model.Model{Header: "x.h",
		Enums: []model.Enum{{Name: "ibv_e", Size: 4, Enumerators: []model.Enumerator{{Name: "E_ONE", Value: model.Int(1)}}}},
		Consts: []model.Const{
			{Name: "HUGE", Value: model.Uint(1<<64 - 1)}, {Name: "LOW", Value: model.Int(-1 << 63)}, {Name: "BIT", Value: model.Uint(1 << 41)},
			{Name: "TEN", Value: model.Int(16)}, {Name: "A_MASK", Value: model.Int(0xff)},
			{Name: "ALIAS", Value: model.Int(1), Type: model.Type{Kind: model.EnumRef, Name: "ibv_e"}},
		},
	}
	got := map[string]string{}
	for _, g := range mustPlan(t, m).Groups {
		for _, c := range g.Consts {
			got[c.Go] = c.Type + " " + c.Text
		}
	}
	for name, want := range map[string]string{
		"HUGE": " 18446744073709551615", "LOW": " -9223372036854775808", "BIT": " 1 << 41", "TEN": " 16", "A_MASK": " 0xff", "ALIAS": "E 1",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}
