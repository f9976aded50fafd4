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
	for _, m := range marked {
		name := named(m[1]).info().goName
		if !strings.HasPrefix(name, "WCRead") && !strings.HasPrefix(name, "WR") && !regexp.MustCompile(`\b`+name+`\b`).MatchString(list) {
			t.Errorf("%s is missing", name)
		}
	}
}
