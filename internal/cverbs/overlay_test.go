//go:build linux && cgo

package cverbs

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

// overlay writes a file for 'go build -overlay', which makes the go command see other text in some of the files here, or files that
// are not there. It returns the file's path.
func overlay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	var o struct{ Replace map[string]string }
	o.Replace = map[string]string{}
	for name, text := range files {
		path, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		o.Replace[path] = filepath.Join(t.TempDir(), filepath.Base(name))
		write(t, o.Replace[path], text)
	}
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	write(t, path, string(b))
	return path
}
