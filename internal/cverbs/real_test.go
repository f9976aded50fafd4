//go:build linux && cgo

package cverbs

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/model"
	"github.com/goverbs/ibv/gen/records"
	"github.com/goverbs/ibv/internal/headers"
)

// wanted returns the exported symbols of a release, with their default versions, as its record has them.
func wanted(t *testing.T, release string) []string {
	t.Helper()
	m, err := records.Get(release)
	if err != nil {
		t.Fatal(err)
	}
	var r []string
	for _, f := range m.Funcs {
		if f.Kind == model.Exported && f.Version != "" {
			r = append(r, f.Name+"@"+f.Version)
		}
	}
	slices.Sort(r)
	if len(r) < 60 {
		t.Fatalf("%s: only %d symbols", release, len(r))
	}
	return r
}

func checkSymbols(t *testing.T, release, got string) {
	t.Helper()
	found := strings.Fields(got)
	slices.Sort(found)
	found = slices.Compact(found) // an inline has the symbol that it calls
	if want := wanted(t, release); !slices.Equal(found, want) {
		t.Errorf("%s: found %d symbols\n%v\nwant %d\n%v", release, len(found), found, len(want), want)
	}
}

// checkNoDevices wants an empty list, not an error, where there is no device. On a machine with devices it counts them.
func checkNoDevices(t *testing.T, o outcome) {
	t.Helper()
	devices, _ := os.ReadDir("/sys/class/infiniband_verbs") // not there: none
	want := 0
	for _, d := range devices {
		if strings.HasPrefix(d.Name(), "uverbs") {
			want++
		}
	}
	if o.Value != strconv.Itoa(want) || o.Err != "" {
		t.Errorf("%s devices, error %q, want %d", o.Value, o.Err, want)
	}
}

// installedRelease is what the installed libibverbs.pc says.
func installedRelease(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("/usr/lib/*/pkgconfig/libibverbs.pc")
	if err != nil || len(files) == 0 {
		t.Fatalf("libibverbs-dev is not installed (%v)", err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(string(b), "Version: ")
	version, _, _ = strings.Cut(version, "\n")
	_, release, _ := strings.Cut(strings.TrimSpace(version), ".") // 1.14.44.0: the ABI level goes first
	_, release, _ = strings.Cut(release, ".")
	return release
}

// The installed library loads, has every symbol of its release and no newer one, and lists no device without an error.
func TestInstalledLibrary(t *testing.T) {
	release := installedRelease(t)
	r := child(t, nil, "loaded", "list", "loaded", "load", "all", "set ")
	if r[0].Value != "" || r[3].Err != "" || r[5].Err != "" {
		t.Errorf("%+v", r)
	}
	checkNoDevices(t, r[1])
	if base := filepath.Base(r[2].Value); base != DefaultLibrary {
		t.Errorf("loaded %q", r[2].Value)
	}
	checkSymbols(t, release, r[4].Value)
}

// librdmacm brings its own libibverbs: the same one is shared, another is refused.
func TestBesideLibrdmacm(t *testing.T) {
	r := child(t, nil, "open librdmacm.so.1", "load", "loaded", "list")
	if r[0].Err != "" || r[1].Err != "" {
		t.Fatalf("%+v", r)
	}
	checkNoDevices(t, r[3])
	copied := edited(t, r[2].Value, func(b []byte) []byte { return b })
	r = child(t, nil, "open librdmacm.so.1", "set "+copied, "load", "set "+r[2].Value, "load")
	if r[2].Reason != OtherCopy || r[3].Err != "" || r[4].Err != "" {
		t.Errorf("%+v", r)
	}
	// The other way round: librdmacm takes the copy that is loaded.
	r = child(t, nil, "set "+copied, "load", "open librdmacm.so.1", "set "+copied, "list")
	if r[1].Err != "" || r[2].Err != "" || r[3].Err != "" {
		t.Errorf("%+v", r)
	}
	checkNoDevices(t, r[4])
}

// A library that needs libibverbs is not it.
func TestLibrdmacmIsNot(t *testing.T) {
	r := child(t, nil, "set librdmacm.so.1", "load", "loaded", "mapped librdmacm.so.1", "set ", "load")
	if r[1].Reason != NotVerbs || r[2].Value != "" || r[3].Value != "false" || r[5].Err != "" {
		t.Errorf("%+v", r)
	}
}

// Each recorded release's library, by path, has its symbols and no others; or it needs a newer libc than this machine's, and that
// is what the error says.
func TestEachRelease(t *testing.T) {
	for _, release := range headers.Releases {
		t.Run(release, func(t *testing.T) {
			libs, err := filepath.Glob(filepath.Join(headers.Include(t, release), "..", "lib", "*", DefaultLibrary))
			if err != nil || len(libs) != 1 {
				t.Fatalf("%v, %v", libs, err)
			}
			r := child(t, nil, "set "+libs[0], "load", "all", "null ibv_alloc_pd "+lackingLibrary)
			switch {
			case r[1].Err == "":
				checkSymbols(t, release, r[2].Value)
			case r[1].Reason != Unloadable || !strings.Contains(r[1].Err, "GLIBC_") || !r[1].NoLibrary || !r[3].NoLibrary:
				t.Errorf("%+v", r)
			default:
				t.Log(r[1].Err)
			}
		})
	}
}
