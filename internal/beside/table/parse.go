package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// results are the metrics of each benchmark by unit, one value for each run.
type results map[string]map[string][]float64

// The number of processors, which go test puts behind the name if it is not 1.
var processors = regexp.MustCompile(`-\d+$`)

// parse reads what go test -bench has written. A failure in it is an error, since what is missing would not be noticed.
func parse(r io.Reader) (results, error) {
	all := results{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "FAIL") || strings.HasPrefix(line, "--- FAIL") || strings.HasPrefix(line, "panic:") {
			return nil, fmt.Errorf("the benchmarks have failed: %s", line)
		}
		words := strings.Fields(line)
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		name := processors.ReplaceAllString(strings.TrimPrefix(words[0], "Benchmark"), "")
		if all[name] == nil {
			all[name] = map[string][]float64{}
		}
		for i := 2; i+1 < len(words); i += 2 {
			v, err := strconv.ParseFloat(words[i], 64)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
			all[name][words[i+1]] = append(all[name][words[i+1]], v)
		}
	}
	if len(all) == 0 && lines.Err() == nil {
		return nil, errors.New("there are no benchmarks in the input")
	}
	return all, lines.Err()
}

// median is that of a benchmark's runs, and whether there is one.
func (r results) median(name, unit string) (float64, bool) {
	v := slices.Sorted(slices.Values(r[name][unit]))
	if len(v) == 0 {
		return 0, false
	}
	return v[len(v)/2], true
}
