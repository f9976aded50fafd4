package overlay

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	yes := true
	want := &Overlay{
		Header: "a/b.h",
		Front:  []string{"ctx"},
		Structs: map[string]Struct{"s": {Go: "Sum", Doc: "A sum.", Members: map[string]Member{
			"a.b": {Doc: "A part.", Type: "e"},
			"c":   {Raw: true},
		}}},
		Enums:  map[string]Enum{"e": {Go: "E", Doc: "Kinds.", Flags: &yes, Values: map[string]Value{"E_R": {Doc: "End.", Sentinel: "It moves."}}}},
		Consts: map[string]string{"K": "A constant."},
		Functions: map[string]Function{
			"f": {Fails: "null", Hot: true, Doc: "Makes it."},
			"g": {Skip: "It is no call."},
		},
	}
	got, err := Parse([]byte(`{
  "header": "a/b.h", "front": ["ctx"],
  "structs": {"s": {"go": "Sum", "doc": "A sum.", "members": {"a.b": {"doc": "A part.", "type": "e"}, "c": {"raw": true}}}},
  "enums": {"e": {"go": "E", "doc": "Kinds.", "flags": true, "values": {"E_R": {"doc": "End.", "sentinel": "It moves."}}}},
  "consts": {"K": "A constant."},
  "functions": {"f": {"doc": "Makes it.", "fails": "null", "hot": true}, "g": {"skip": "It is no call."}}
}`), "o.json")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(Overlay{})); d != "" {
		t.Errorf("Parse (-want +got):\n%s", d)
	}
}

func TestParseRefuses(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
	tests := []struct{ name, data, want string }{
		{"empty", "", "o.json:1: EOF"},
		{"cut short", `{"header": "h"`, "o.json:1: unexpected EOF"},
		{"not JSON", "{\n  header\n}", "o.json:2: invalid character"},
		{"an array", `["header"]`, "o.json:1: cannot unmarshal array"},
		{"unknown key", "{\n\"header\": \"h\",\n\"strcts\": {}\n}", `unknown field "strcts"`},
		{"unknown key inside", `{"header": "h", "enums": {"e": {"flag": true}}}`, `unknown field "flag"`},
		{"unknown key of a function", `{"header": "h", "functions": {"f": {"fail": "null"}}}`, `unknown field "fail"`},
		{"wrong type", `{"header": "h", "enums": {"e": {"flags": "yes"}}}`, "cannot unmarshal string"},
		{"key twice", "{\"header\": \"h\",\n\"consts\": {\"A\": \"x\",\n\"A\": \"y\"}}", `o.json:3: key "A" stands twice`},
		{"more text", "{\"header\": \"h\"}\n{}", "o.json:2: text after"},
		{"no header", `{}`, `no "header"`},
		{"too deep", deep, "nested deeper"},
	}
	for _, tt := range tests {
		_, err := Parse([]byte(tt.data), "o.json")
		if err == nil || !strings.HasPrefix(err.Error(), "o.json:") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one of o.json with %q", tt.name, err, tt.want)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error of several lines: %v", tt.name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"header": "h", "structs": {"s": {"members": {"a": {"doc": "A."}}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if o, err := Parse(data, "o.json"); (o == nil) == (err == nil) {
			t.Errorf("Parse(%q) = %v, %v", data, o, err)
		}
	})
}
