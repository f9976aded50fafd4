package gen

import "fmt"

// unified groups edits into the hunks of a unified diff.
func unified(es []edit) []string {
	var out []string
	for i := 0; i < len(es); {
		if es[i].op == ' ' {
			i++
			continue
		}
		start := max(0, i-diffContext)
		end := hunkEnd(es, i)
		out = append(out, hunk(es, start, end)...)
		i = end
	}
	return out
}

// hunkEnd is the index after the hunk that has a change at i: changes with few lines between them share a hunk.
func hunkEnd(es []edit, i int) int {
	last := i
	for ; i < len(es) && i-last <= 2*diffContext; i++ {
		if es[i].op != ' ' {
			last = i
		}
	}
	return min(len(es), last+1+diffContext)
}

func hunk(es []edit, start, end int) []string {
	oldAt, newAt := count(es[:start])
	oldN, newN := count(es[start:end])
	lines := []string{fmt.Sprintf("@@ -%s +%s @@", span(oldAt, oldN), span(newAt, newN))}
	for _, e := range es[start:end] {
		lines = append(lines, string(e.op)+e.text)
	}
	return lines
}

// span is a range in a hunk's header; an empty one names the line before it.
func span(before, n int) string {
	if n > 0 {
		before++
	}
	return fmt.Sprintf("%d,%d", before, n)
}

// count returns how many lines of the old and the new file es has.
func count(es []edit) (old, new int) {
	for _, e := range es {
		if e.op != '+' {
			old++
		}
		if e.op != '-' {
			new++
		}
	}
	return old, new
}
