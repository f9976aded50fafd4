package main

// A Figure is what was measured of one kind of work: nanoseconds, of a call where nothing else is said, as medians of the benchmark's quiet
// runs, or of the quietest. What was not measured is 0.
type Figure struct {
	Group   string   `json:"group"`
	Work    string   `json:"work"`
	Bench   string   `json:"benchmark"`
	Runs    int      `json:"runs"`
	Quiet   int      `json:"quiet_runs"` // of those
	Go      float64  `json:"go_ns"`
	C       float64  `json:"c_ns,omitempty"`
	Added   float64  `json:"added_ns,omitempty"` // what Go takes more than C, as neighbours in time
	Ratio   float64  `json:"ratio,omitempty"`
	Empty   float64  `json:"empty_cgo_call_ns,omitempty"`
	Eventfd float64  `json:"eventfd_ns,omitempty"`    // a bare file of Go's, woken up
	Times   float64  `json:"times_eventfd,omitempty"` // so many times as long as that, in the same run
	P999    float64  `json:"p99_9_ns,omitempty"`
	Allocs  *float64 `json:"allocs,omitempty"` // nil: they were not counted
	Aim     string   `json:"aim,omitempty"`
	Met     *bool    `json:"met,omitempty"`
}

// figures are those rows that were measured.
func figures(r results, selected map[string]selection) []Figure {
	var all []Figure
	for _, row := range rows {
		f := Figure{Group: row.group, Work: row.work, Bench: "Benchmark" + row.bench, Runs: len(r[row.bench]["ns/op"]), Aim: row.aim.text}
		if f.Runs == 0 {
			continue
		}
		if s, ok := selected[row.bench]; ok {
			f.Runs, f.Quiet = s.all, s.quiet
		} else {
			f.Quiet = f.Runs
		}
		for unit, to := range map[string]*float64{"ns/op": &f.Go, "C-ns/op": &f.C, "added-ns/op": &f.Added, "Go/C": &f.Ratio, "cgo-ns/op": &f.Empty,
			"eventfd-ns/op": &f.Eventfd, "Go/eventfd": &f.Times, "p99.9-ns": &f.P999} {
			*to, _ = r.median(row.bench, unit)
		}
		if n, ok := r.median(row.bench, "allocs/op"); ok {
			f.Allocs = &n
		}
		if row.aim.met != nil {
			f.Met = new(row.aim.met(f))
		}
		all = append(all, f)
	}
	return all
}
