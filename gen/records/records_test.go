package records

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/goverbs/ibv/gen/record"
)

func TestAll(t *testing.T) {
	if got, want := Releases(), []string{"33.2", "44.0", "56.1", "65.0"}; !slices.Equal(got, want) {
		t.Fatalf("releases %v, want %v", got, want)
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range all {
		if m.Release != Releases()[i] || m.Header != "infiniband/verbs.h" {
			t.Errorf("record %d is of %s %s, want infiniband/verbs.h %s", i, m.Header, m.Release, Releases()[i])
		}
		// The ABI levels are those of libibverbs.pc.
		if want := []string{"1.11", "1.14", "1.14", "1.18"}[i]; m.Level != want {
			t.Errorf("%s: level %q, want %s", m.Release, m.Level, want)
		}
	}
}

// TestAsWritten finds a record that was edited by hand or made by another version of the command.
func TestAsWritten(t *testing.T) {
	for _, release := range Releases() {
		m, err := Get(release)
		if err != nil {
			t.Fatal(err)
		}
		want, err := record.Write(m)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := files.ReadFile(release + ".json"); !bytes.Equal(got, want) {
			t.Errorf("gen/records/%s.json is not as it would be written", release)
		}
	}
}

func TestUnknownRelease(t *testing.T) {
	_, err := Get("12.3")
	if err == nil || !strings.Contains(err.Error(), "12.3") || !strings.Contains(err.Error(), "33.2, 44.0, 56.1, 65.0") {
		t.Errorf("error %v, want one that lists the known releases", err)
	}
}
