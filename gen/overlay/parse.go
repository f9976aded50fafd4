package overlay

import (
	"bytes"
	_ "embed" // for verbs.json
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"
)

// verbsHeader is the one header with a file of its own.
const verbsHeader = "infiniband/verbs.h"

//go:embed verbs.json
var verbsJSON []byte

// For returns the overlay for a header. The other headers of the family (in a folder infiniband or rdma) include verbs.h, so
// they get what is known of its items. Any other header gets an empty overlay.
func For(header string) (*Overlay, error) {
	folder, base := path.Split(path.Clean(header))
	folder = path.Base(folder)
	if folder != "infiniband" && folder != "rdma" {
		return &Overlay{Header: header}, nil
	}
	o, err := Parse(verbsJSON, "verbs.json")
	if err != nil {
		return nil, err
	}
	if folder+"/"+base != verbsHeader {
		o.Header, o.inherited = header, true
	}
	return o, nil
}

// Parse reads an overlay. name is used in errors. A key that has no meaning, or stands twice, is an error, since it is most
// likely a slip.
func Parse(data []byte, name string) (*Overlay, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	fail := func(msg string) (*Overlay, error) {
		return nil, fmt.Errorf("%s:%d: %s", name, lineAt(data, d.InputOffset()), msg)
	}
	switch key, err := duplicate(d, 0); {
	case err != nil:
		return fail(oneLine(err))
	case key != "":
		return fail(fmt.Sprintf("key %q stands twice", key))
	}
	if _, err := d.Token(); err != io.EOF {
		return fail("text after the overlay's end")
	}
	d = json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var o Overlay
	if err := d.Decode(&o); err != nil {
		return fail(oneLine(err))
	}
	if o.Header == "" {
		return fail(`no "header"`)
	}
	return &o, nil
}

func lineAt(data []byte, offset int64) int {
	offset = min(max(offset, 0), int64(len(data)))
	return 1 + bytes.Count(data[:offset], []byte("\n"))
}

func oneLine(err error) string {
	return strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "json: ")), " ")
}
