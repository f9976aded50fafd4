package ibv_test

import (
	"os/exec"
	"strings"
	"testing"
)

// An importer of this package builds it and the standard library, nothing else.
func TestImporterBuildsNothingElse(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	if got := strings.Fields(string(out)); len(got) != 1 || got[0] != "github.com/goverbs/ibv" {
		t.Errorf("package ibv needs %v, want itself alone", got)
	}
}
