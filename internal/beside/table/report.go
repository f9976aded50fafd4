package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// A Report is what is printed.
type Report struct {
	Machine Machine  `json:"machine"`
	Figures []Figure `json:"figures"`
}

// JSON writes the report for programs.
func (r Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, load %s; Go %s, gcc %s, rdma-core %s; %s", m.CPU, m.Cores, m.Load, m.Go, m.GCC, m.RDMA, m.Date)
}

// Text writes the report for people: a table in Markdown, which can be read as it is.
func (r Report) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	line := func(cells ...string) { fmt.Fprintf(t, "| %s\t|\n", strings.Join(cells, "\t| ")) }
	line("", "work", "C, ns", "Go, ns", "Go adds", "Go/C", "allocations", "aim", "")
	line("---", "---", "---", "---", "---", "---", "---", "---", "---")
	group := ""
	for _, f := range r.Figures {
		name := f.Group
		if name == group {
			name = ""
		}
		group = f.Group
		line(name, f.Work, number(f.C), number(f.Go), f.added(), f.ratio(), allocs(f.Allocs), f.Aim, f.verdict())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, s := range r.notes() {
		if _, err := fmt.Fprintf(w, "\n%s\n", s); err != nil {
			return err
		}
	}
	return nil
}

// notes are what does not fit into the table.
func (r Report) notes() []string {
	all := []string{"Medians. " + r.Machine.String() + "."}
	runs, quiet := 0, 0
	for _, f := range r.Figures {
		runs, quiet = runs+f.Runs, quiet+f.Quiet
	}
	if quiet < runs {
		all = append(all, fmt.Sprintf("A fixed loop beside each run tells how fast the core was. %d of %d runs were quiet: the loop took at most %s times what it took in the quietest. The others are left out, but for rows with *: of these fewer than %d were quiet, and they show the %d quietest.",
			quiet, runs, number(slowest), fewest, fewest))
	}
	for _, f := range r.Figures {
		if f.Eventfd > 0 {
			all = append(all, fmt.Sprintf("%s: a bare eventfd in an os.File is woken up in %s ns in the same run, so that this takes %.2f times as long. C sleeps in poll(2).", f.Group, number(f.Eventfd), f.Times))
		}
		if f.P999 > 0 {
			all = append(all, fmt.Sprintf("%s %s, while as many goroutines as there are processors are busy: it finds nothing, and is back after %s ns in the median, and %s ns in p99.9.", f.Group, f.Work, number(f.Go), number(f.P999)))
		}
		if f.Empty > 0 && f.Bench == "Benchmark"+rows[0].bench {
			all = append(all, fmt.Sprintf("An empty call through cgo took %s ns.", number(f.Empty)))
		}
	}
	return all
}

func (f Figure) added() string {
	if f.C == 0 || f.Added == 0 {
		return ""
	}
	return fmt.Sprintf("%+.1f", f.Added)
}

func (f Figure) ratio() string {
	if f.Ratio == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", f.Ratio)
}

func (f Figure) verdict() string {
	verdict := ""
	if f.Met != nil && *f.Met {
		verdict = "met"
	} else if f.Met != nil {
		verdict = "missed"
	}
	if f.Quiet < min(fewest, f.Runs) {
		verdict = strings.TrimSpace(verdict + " *")
	}
	return verdict
}

func allocs(n *float64) string {
	if n == nil {
		return "?"
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

// number has as many digits as are worth reading; none for what was not measured.
func number(ns float64) string {
	switch {
	case ns == 0:
		return ""
	case ns < 10:
		return strconv.FormatFloat(float64(int(ns*100+0.5))/100, 'f', -1, 64)
	case ns < 100:
		return strconv.FormatFloat(float64(int(ns*10+0.5))/10, 'f', -1, 64)
	}
	return strconv.Itoa(int(ns + 0.5))
}
