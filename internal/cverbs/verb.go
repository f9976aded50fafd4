package cverbs

import "strconv"

// A Verb is the index of a function of verbs.h in all tables: this package's, and a provider's of the functions that it serves.
// The constants are sorted by C name; their values change from release to release of this module.
type Verb int

// NumVerbs is how many verbs there are: a provider's table has as many entries, from index 0 on.
const NumVerbs = len(verbTable)

// A verb is what the ABI records and the overlay tell of a function.
type verb struct {
	name    string // as in C: ibv_alloc_pd
	goName  string // AllocPD
	kind    string // exported, inline or macro
	fails   string // how it reports failure: null, errno, minus1, negative or none
	symbol  string // the library's function that it is or calls; empty if it needs none
	version string // that function's public version: IBVERBS_1.1
	since   string // the oldest recorded release that has it
}

// String returns the C name.
func (v Verb) String() string {
	if v < 0 || int(v) >= len(verbTable) {
		return "Verb(" + strconv.Itoa(int(v)) + ")"
	}
	return verbTable[v].name
}
