package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const output3 = `goos: linux
pkg: github.com/goverbs/ibv/verbs
BenchmarkPoll/completions=0-2   100  52.00 ns/op  2.00 C-ns/op  26.00 Go/C  50.00 added-ns/op  34.00 cgo-ns/op  0 B/op  0 allocs/op
BenchmarkPoll/completions=0-2   100  44.00 ns/op  2.10 C-ns/op  21.00 Go/C  42.00 added-ns/op  33.00 cgo-ns/op  0 B/op  0 allocs/op
BenchmarkPoll/completions=0-2   100  46.50 ns/op  1.90 C-ns/op  24.50 Go/C  44.90 added-ns/op  35.00 cgo-ns/op  0 B/op  0 allocs/op
BenchmarkDirectPoll/completions=16  100  40.00 ns/op  30.00 C-ns/op  1.333 Go/C  10.00 added-ns/op  34.00 cgo-ns/op  0 B/op  0 allocs/op
BenchmarkRingEmpty/Empty-2  100  1.234 ns/op  1.5 C-ns/op  0.82 Go/C  -0.27 added-ns/op  34.00 cgo-ns/op  0 B/op  0 allocs/op
BenchmarkWakeUp-2  100  9100 ns/op  5000 C-ns/op  1.82 Go/C  7000 eventfd-ns/op  1.3 Go/eventfd  0 B/op  1 allocs/op
BenchmarkPollSpinUnderLoad-2  1  10500 ns/op  10000 budget-ns  322642036 p99.9-ns
BenchmarkUnknown-2  100  1 ns/op
PASS
`

func reportOf(t *testing.T, in string) Report {
	t.Helper()
	r, err := parse(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	m := Machine{CPU: "A <fast> & small one", Cores: 2, Load: "0.50 1.00 2.00", Go: "1.26", GCC: "12.2.0", RDMA: "44.0-2", Date: "2026-11-29"}
	return Report{m, figures(r, r.quiet())}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := reportOf(t, output3).Text(&b); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/table.md")
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := reportOf(t, output3).JSON(&b); err != nil {
		t.Fatal(err)
	}
	var got Report
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Machine.CPU != "A <fast> & small one" || len(got.Figures) != 5 {
		t.Fatalf("%+v", got)
	}
	f := got.Figures[0]
	if f.Bench != "BenchmarkPoll/completions=0" || f.Runs != 3 || f.Go != 46.5 || f.C != 2 || f.Added != 44.9 || f.Ratio != 24.5 || f.Empty != 34 || f.Allocs == nil || *f.Allocs != 0 ||
		f.Aim != "C + 45" || f.Met == nil || !*f.Met {
		t.Errorf("%+v", f)
	}
	if f := got.Figures[1]; f.Met == nil || *f.Met {
		t.Errorf("1.333 is not more than 1.25: %+v", f)
	}
	if f := got.Figures[3]; f.Eventfd != 7000 || f.Times != 1.3 || f.Allocs == nil || *f.Allocs != 1 || f.Met == nil || *f.Met {
		t.Errorf("%+v", f)
	}
	if f := got.Figures[4]; f.P999 != 322642036 || f.Met != nil || f.Allocs != nil {
		t.Errorf("%+v", f)
	}
}

// The picture is well-formed, whatever the processor's name, and has the figures that fit.
func TestSVG(t *testing.T) {
	var b bytes.Buffer
	if err := reportOf(t, output3).SVG(&b); err != nil {
		t.Fatal(err)
	}
	text, d := "", xml.NewDecoder(&b)
	bars := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.CharData:
			text += string(token)
		case xml.StartElement:
			for _, a := range token.Attr {
				if a.Name.Local == "height" && a.Value == "14" {
					bars++
				}
			}
		}
	}
	if bars != 6 || !strings.Contains(text, "46.5 (C 2)") || !strings.Contains(text, "A <fast> & small one") || strings.Contains(text, "9100") {
		t.Errorf("%d bars, and the text is %q", bars, text)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, in := range map[string]string{
		"nothing": "PASS\nok  x  1s\n",
		"failure": output3 + "--- FAIL: BenchmarkX\n",
		"FAIL":    output3 + "FAIL\tgithub.com/goverbs/ibv/verbs\t1s\n",
		"panic":   output3 + "panic: oh\n",
		"number":  "BenchmarkX-2 100 12..5 ns/op\n",
	} {
		if r, err := parse(strings.NewReader(in)); err == nil {
			t.Errorf("%s: %v", name, r)
		}
	}
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	j, s := filepath.Join(dir, "x.json"), filepath.Join(dir, "x.svg")
	var out bytes.Buffer
	if err := run(strings.NewReader(output3), &out, j, s); err != nil || !strings.Contains(out.String(), "| CQ.Poll ") {
		t.Fatal(err, out.String())
	}
	for name, want := range map[string]string{j: `"machine"`, s: "<svg "} {
		if b, err := os.ReadFile(name); err != nil || !bytes.Contains(b, []byte(want)) {
			t.Errorf("%v: %.100s", err, b)
		}
	}
	if err := run(strings.NewReader(output3), io.Discard, filepath.Join(dir, "no", "x"), ""); err == nil {
		t.Error("written to a folder that does not exist")
	}
	if err := run(strings.NewReader("FAIL\n"), io.Discard, j, s); err == nil {
		t.Error("no error for failed benchmarks")
	}
}

// Each row is of a benchmark that exists.
func TestRowsAreOfBenchmarks(t *testing.T) {
	files, err := filepath.Glob("../../../verbs/*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var all strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	for _, r := range rows {
		name, _, _ := strings.Cut(r.bench, "/")
		if !strings.Contains(all.String(), "func Benchmark"+name+"(b *testing.B)") {
			t.Errorf("there is no Benchmark%s", name)
		}
	}
}

func TestMachine(t *testing.T) {
	if got := cpuName("processor : 0\nmodel name\t: Some CPU @ 2 GHz: fast\nmodel name : other\n"); got != "Some CPU @ 2 GHz: fast" {
		t.Errorf("%q", got)
	}
	if got := strings.Join(firstWords("0.1 0.2 0.3 1/100 5", 3), " "); got != "0.1 0.2 0.3" {
		t.Errorf("%q", got)
	}
	for _, c := range [][3]string{{"44.0-2", "1.14.44.0", "44.0-2"}, {"", "1.14.44.0", "libibverbs 1.14.44.0"}, {"", "", ""}} {
		if got := rdmaVersion(c[0], c[1]); got != c[2] {
			t.Errorf("%q", got)
		}
	}
}

func TestNumber(t *testing.T) {
	for ns, want := range map[float64]string{0: "", 1.234: "1.23", 2: "2", 9.999: "10", 46.54: "46.5", 127.6: "128", 12345678: "12345678"} {
		if got := number(ns); got != want {
			t.Errorf("%v is %q, want %q", ns, got, want)
		}
	}
}
