package oracletest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/load"
	"github.com/goverbs/ibv/gen/probe"
	"github.com/goverbs/ibv/internal/headers"
	"github.com/goverbs/ibv/internal/oracle"
)

// caseFiles returns the small headers, one C construct each.
func caseFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(headers.Root(t), "testdata", "headers", "*.h"))
	if err != nil || len(files) < len(answers) {
		t.Fatalf("%d small headers, %v", len(files), err)
	}
	return files
}

// TestCases loads every small header. It must agree with the compiler, item by item and in both directions, and with the table
// of answers; or be refused with an error that names the line and the construct, if the table says so.
func TestCases(t *testing.T) {
	table := map[string]answer{}
	for _, a := range answers {
		table[a.file] = a
	}
	for _, file := range caseFiles(t) {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			want, ok := table[name]
			if !ok {
				t.Fatal("no answer in the table")
			}
			delete(table, name)
			m, err := load.Load(load.Options{Header: file})
			if want.refusal != "" && (err != nil || want.items == nil) {
				checkRefusal(t, file, err, want.refusal)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for item, text := range want.items {
				if got := describe(m, item); got != text {
					t.Errorf("%s:\n got %s\nwant %s", item, got, text)
				}
			}
			own := func(f string) bool { return f == file }
			report(t, compareTypes(m, oracle.DWARF(t, gcc, nil, file), runtime.GOARCH, own))
			report(t, compareMacros(m, oracle.Macros(t, gcc, nil, file, own)))
			found, err := probe.Check(probe.Options{CC: gcc, Header: file}, m)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range found {
				t.Error(d)
			}
		})
	}
	for name := range table {
		t.Errorf("%s is in the table, but there is no such header", name)
	}
}

// checkRefusal wants a one-line error at one of the lines of the header on which the construct stands, that names it.
func checkRefusal(t *testing.T, file string, err error, want string) {
	t.Helper()
	var le *load.Error
	if !errors.As(err, &le) {
		t.Fatalf("got %v, want a *load.Error: %s", err, want)
	}
	var from, to, line int
	var word string
	if n, err := fmt.Sscanf(want, "%d-%d: %s", &from, &to, &word); err != nil || n != 3 {
		t.Fatalf("bad table: %q, %v", want, err)
	}
	rest, ok := strings.CutPrefix(err.Error(), file+":")
	fmt.Sscanf(rest, "%d:", &line)
	if !ok || line < from || line > to || !strings.Contains(rest, word) || strings.Contains(rest, "\n") {
		t.Errorf("got %q, want %s", err, want)
	}
}

// TestSameModelEachTime loads a header with many independent types ten times.
func TestSameModelEachTime(t *testing.T) {
	file := filepath.Join(headers.Root(t), "testdata", "headers", "many_types.h")
	first := ""
	for range 10 {
		m, err := load.Load(load.Options{Header: file})
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(b)
		} else if first != string(b) {
			t.Fatal("the model differs from one run to the next")
		}
	}
}

// TestPlainHeaderComments keeps the small headers readable: each begins with a line on what it shows.
func TestPlainHeaderComments(t *testing.T) {
	for _, file := range caseFiles(t) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if line, _, _ := strings.Cut(string(b), "\n"); !strings.HasPrefix(line, "/* ") || !strings.HasSuffix(line, ". */") {
			t.Errorf("%s begins with %q", filepath.Base(file), line)
		}
	}
}
