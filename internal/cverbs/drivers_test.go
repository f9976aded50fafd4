//go:build linux && cgo

package cverbs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDriverList(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"librxe-rdmav34.so", "libmlx5-rdmav34.so", "libmlx5-rdmav65.so", "libhfi1verbs-rdmav33.so", "libx-rdmav34.so.1",
		"libx-rdmav.sox", "x-rdmav34.so", "libefa.so", "libx-rdmavx.so", "lib:y-rdmav34.so", "README"} {
		write(t, filepath.Join(dir, name), "")
	}
	got, err := driverList(dir)
	want := strings.Join([]string{dir + "/libhfi1verbs", dir + "/libmlx5", dir + "/librxe"}, ":")
	if err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if got, err := driverList(""); got != "" || err != nil {
		t.Errorf("no folder: %q, %v", got, err)
	}
}

func TestBadArguments(t *testing.T) {
	dir := t.TempDir()
	colon := filepath.Join(dir, "a:b")
	if err := os.Mkdir(colon, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(colon, "libx-rdmav34.so"), "")
	for _, c := range []struct{ path, providers, want string }{
		{"/x\x00y", "", "NUL"},
		{"\x00", "", "NUL"},
		{"/x/$LIB/libibverbs.so.1", "", "$"},
		{"./a${b", "", "$"},
		{"", dir, "no lib*-rdmav*.so"},
		{"", filepath.Join(dir, "absent"), "no such file"},
		{"", colon, "colons"},
		{"", dir + "\x00", "NUL"},
		{"", os.Args[0], "not a directory"},
	} {
		err := SetLibrary(c.path, c.providers)
		var e *LibraryError
		if !errors.As(err, &e) || e.Reason != BadPath || !errors.Is(err, ErrNoLibrary) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("SetLibrary(%q, %q): %v, want an error with %q", c.path, c.providers, err, c.want)
		}
	}
}

// The library reads the variable in C, when it first lists devices.
func TestDriversReachTheLibrary(t *testing.T) {
	a := verbsLike.build(t, "libibverbs.so.1")
	other := shared{"libother.so", map[string]string{"other": "OTHER_1"}}.build(t, "other.so")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "librxe-rdmav34.so"), "")
	before := []string{"RDMAV_DRIVERS=before"}
	const ask = "getenv RDMAV_DRIVERS"
	for _, c := range []struct {
		name, set string
		env       []string
		want      [3]string
	}{
		{"chosen", a + " " + dir, nil, [3]string{"", dir + "/librxe", dir + "/librxe"}},
		{"over the user's", a + " " + dir, before, [3]string{"before", dir + "/librxe", dir + "/librxe"}},
		{"not chosen", a, before, [3]string{"before", "before", "before"}},
		{"put back after failure", a + "x " + dir, before, [3]string{"before", "before", "before"}},
		{"put back after another library", other + " " + dir, before, [3]string{"before", "before", "before"}},
		{"removed after failure", a + "x " + dir, nil, [3]string{"", "", ""}},
	} {
		r := child(t, c.env, "set "+c.set, ask, "load", ask, "has ibv_alloc_pd", ask)
		if got := [3]string{r[1].Value, r[3].Value, r[5].Value}; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
