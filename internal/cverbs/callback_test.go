//go:build linux && cgo

package cverbs

import (
	"regexp"
	"strings"
	"testing"
)

// The comment of Register tells which functions must not call back into Go.
func TestCallbacksDocumented(t *testing.T) {
	_, list, _ := strings.Cut(source(t, "registry.go"), "a callback there can end the program: ")
	list, _, ok := strings.Cut(list, "\nfunc ")
	marked := regexp.MustCompile(`#cgo nocallback ibvgo_call_(\w+)`).FindAllStringSubmatch(source(t, "calls_generated.go"), -1)
	if !ok || len(marked) < 10 {
		t.Fatalf("list %q, %d marked", list, len(marked))
	}
	// Those that go past cgo's functions are not marked, and must not either.
	for _, file := range []string{"within.go", "posted.go", "wrbatch.go"} {
		calls := regexp.MustCompile(`func \(\w+ \*(\w+)\) Call\(\) int32 \{ return cgocall\(`).FindAllStringSubmatch(source(t, file), -1)
		if n := strings.Count(source(t, file), "cgocall("); n == 0 || n != len(calls) {
			t.Errorf("%s has %d calls in %d methods", file, n, len(calls))
		}
		for _, m := range calls {
			if !regexp.MustCompile(`does not notice a callback`).MatchString(list) || !regexp.MustCompile(`\b`+m[1]+`\b`).MatchString(list) {
				t.Errorf("%s is missing", m[1])
			}
		}
	}
	for _, m := range marked {
		name := named(m[1]).info().goName
		if !strings.HasPrefix(name, "WCRead") && !strings.HasPrefix(name, "WR") && !regexp.MustCompile(`\b`+name+`\b`).MatchString(list) {
			t.Errorf("%s is missing", name)
		}
	}
}
