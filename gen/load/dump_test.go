package load

import (
	"encoding/json"
	"github.com/goverbs/ibv/internal/headers"
	"os"
	"testing"
)

func TestDump(t *testing.T) {
	h := os.Getenv("H")
	if h == "" {
		t.Skip()
	}
	o := Options{Header: h}
	if r := os.Getenv("R"); r != "" {
		o.Include = []string{headers.Include(t, r)}
	}
	m, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := json.MarshalIndent(m, "", " ")
	os.WriteFile("/tmp/dump.json", b, 0o644)
}
