package emit

import (
	"bytes"
	"go/format"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/model"
)

// TestBuild gives what comes out, of small headers and of the largest real ones, to the go command: vet on each architecture, staticcheck, other systems, and an
// architecture that is not served, where the build must fail with one line.
func TestBuild(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string][]byte{"go.mod": []byte("module goldens\n\ngo 1.26\n")})
	for _, g := range goldens(t) {
		files := emitted(t, g.plan(t, g.name))
		for name, src := range files {
			if f, err := format.Source(src); err != nil || !bytes.Equal(f, src) {
				t.Errorf("%s is not as gofmt leaves it: %v", name, err)
			}
		}
		writeFiles(t, filepath.Join(dir, g.name), files)
	}
	for header, pkg := range map[string]string{"infiniband/verbs.h": "ibv", "infiniband/mlx5dv.h": "mlx5dv", "rdma/rdma_cma.h": "cma"} {
		writeFiles(t, filepath.Join(dir, pkg), emitted(t, realPlan(t, header, "65.0", pkg)))
	}
	for _, arch := range model.Archs {
		goTool(t, dir, []string{"GOARCH=" + arch}, "vet", "./...")
	}
	goTool(t, dir, []string{"GOOS=darwin", "GOARCH=arm64"}, "build", "./...")
	goTool(t, dir, []string{"GOOS=windows", "GOARCH=amd64"}, "build", "./...")
	for _, env := range []string{"GOARCH=386", "GOARCH=arm GOOS=linux"} {
		out, err := goTry(dir, strings.Fields(env), "build", "./archs", "./bits")
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if err == nil || len(lines) != 4 { // a heading and one line for each package
			t.Errorf("%s: %v\n%s", env, err, out)
		}
		for _, want := range []string{"archs_supports_only_amd64_arm64_", "bits_supports_only_amd64_arm64_"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s does not name %s:\n%s", env, want, out)
			}
		}
	}
	staticcheck(t, dir)
}

func staticcheck(t *testing.T, dir string) {
	t.Helper()
	bin := strings.TrimSpace(goTool(t, ".", nil, "tool", "-n", "staticcheck"))
	cmd := exec.Command(bin, "./...")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("staticcheck: %v\n%s", err, out)
	}
}
