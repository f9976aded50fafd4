package plan

import "github.com/goverbs/ibv/gen/model"

// maxNesting bounds the nesting of structs by value. Go's compiler, and go/types, compute the size of a struct's last member
// twice, so that each level doubles their time.
const maxNesting = 12

// depths refuses aggregates that are nested too deeply.
func (p *planner) depths() error {
	memo := map[*model.Aggregate]int{}
	for i := range p.m.Aggregates {
		a := &p.m.Aggregates[i]
		if d := p.depth(a, memo, 0); d > maxNesting {
			return p.errorf(a.Pos, "struct or union "+a.Name, "nested more than %d deep, for which Go's compiler takes too long", maxNesting)
		}
	}
	return nil
}

// depth is how many aggregates lie in one another below a, counted up to one more than may be.
func (p *planner) depth(a *model.Aggregate, memo map[*model.Aggregate]int, above int) int {
	if a == nil || above > maxNesting {
		return 0
	}
	if d, ok := memo[a]; ok {
		return d
	}
	most := 0
	for i := range a.Members {
		t := &a.Members[i].Type
		for t.Kind == model.Array {
			t = t.Elem
		}
		inner := t.Body
		if inner == nil && (t.Kind == model.Struct || t.Kind == model.Union) {
			inner = p.aggs[t.Name]
		}
		most = max(most, p.depth(inner, memo, above+1))
	}
	if above == 0 {
		memo[a] = most + 1
	}
	return most + 1
}
