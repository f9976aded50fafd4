package record

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goverbs/ibv/gen/model"
)

// small is a model with one of everything that a record can hold.
func small() *model.Model {
	u32 := model.Type{Kind: model.Scalar, Name: "unsigned int", Typedef: "uint32_t"}
	u64 := model.Type{Kind: model.Scalar, Name: "unsigned long", Typedef: "uint64_t"}
	lock := model.NumBy(map[string]int64{"amd64": 40, "arm64": 48, "ppc64le": 40, "riscv64": 40, "s390x": 40})
	body := &model.Aggregate{Union: true, Size: model.N(4), Align: model.N(4), Members: []model.Member{
		{Name: "imm", Type: u32, Size: model.N(4)}, {Name: "key", Type: u32, Size: model.N(4)},
	}}
	return &model.Model{
		Header: "infiniband/verbs.h", Release: "44.0", Level: "1.14", Kernel: "6.1.176",
		Aggregates: []model.Aggregate{
			{Name: "bits", Size: model.N(4), Align: model.N(4), Members: []model.Member{
				{Name: "a", Type: u32, Size: model.N(4), Bits: &model.Bits{Pos: model.N(0), Width: 3}},
				{Name: "b", Type: u32, Size: model.N(4), Bits: &model.Bits{Pos: model.N(3), Width: 5}},
			}},
			{Name: "lock_t", Union: true, Typedef: true, Size: lock, Align: model.N(8)},
			{Name: "pd", Opaque: true},
			{Name: "wc", Size: lock.Add(model.N(32)), Align: model.N(8), Members: []model.Member{
				{Name: "id", Type: u64, Size: model.N(8)},
				{Type: model.Type{Kind: model.Union, Body: body}, Offset: model.N(8), Size: model.N(4)},
				{Name: "pd", Type: model.Type{Kind: model.Pointer, Elem: &model.Type{Kind: model.Struct, Name: "pd"}}, Offset: model.N(16), Size: model.N(8)},
				{Name: "lock", Type: model.Type{Kind: model.Union, Name: "lock_t", Typedef: "lock_t"}, Offset: model.N(24), Size: lock},
				{Name: "last", Type: model.Type{Kind: model.EnumRef, Name: "status"}, Offset: lock.Add(model.N(24)), Size: model.N(4)},
			}},
		},
		Enums: []model.Enum{
			{Size: 4, Enumerators: []model.Enumerator{{Name: "LINK", Value: model.Int(1)}}},
			{Name: "status", Size: 4, Signed: true, Enumerators: []model.Enumerator{{Name: "OK", Value: model.Int(0)}, {Name: "BAD", Value: model.Int(-1)}}},
		},
		Consts: []model.Const{
			{Name: "BIG", Value: model.Uint(1 << 63), Type: model.Type{Kind: model.Scalar, Name: "unsigned long long"}},
			{Name: "OK2", Value: model.Int(0), Type: model.Type{Kind: model.EnumRef, Name: "status"}},
		},
		Aliases: []model.Alias{{Name: "completion", Tag: "wc"}},
		Funcs: []model.Func{
			{Name: "poll", Kind: model.Exported, Version: "IBVERBS_1.1", Result: model.Type{Kind: model.Scalar, Name: "int"},
				Params: []model.Param{{Name: "wc", Type: model.Type{Kind: model.Pointer, Elem: &model.Type{Kind: model.Struct, Name: "wc"}}}}},
			{Name: "wrap", Kind: model.Macro, Params: []model.Param{{Name: "x"}}},
		},
	}
}

func TestWrite(t *testing.T) {
	m := small()
	m.Aggregates, m.Funcs, m.Aliases = m.Aggregates[:1], nil, nil
	m.Enums, m.Consts = m.Enums[1:], m.Consts[:1]
	got, err := Write(m)
	if err != nil {
		t.Fatal(err)
	}
	want := `{
"format": 1,
"header": "infiniband/verbs.h",
"release": "44.0",
"level": "1.14",
"kernel": "6.1.176",
"aggregates": [
 {"name": "bits", "size": 4, "align": 4, "members": [
  {"name": "a", "type": "@uint32_t unsigned int", "offset": 0, "size": 4, "bits": {"pos": 0, "width": 3}},
  {"name": "b", "type": "@uint32_t unsigned int", "offset": 0, "size": 4, "bits": {"pos": 3, "width": 5}}
 ]}
],
"enums": [
 {"name": "status", "size": 4, "signed": true, "enumerators": [
  {"name": "OK", "value": 0},
  {"name": "BAD", "value": -1}
 ]}
],
"consts": [
 {"name": "BIG", "value": 9223372036854775808, "type": "unsigned long long"}
],
"functions": []
}
`
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestRoundTrip(t *testing.T) {
	want := small()
	b, err := Write(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(b, "x.json")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(model.Value{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestDamaged changes one text of a good record and asks for one line that names the item.
func TestDamaged(t *testing.T) {
	good, err := Write(small())
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, from, to, want string }{
		{"format of text", `"format": 1`, `"format": "x"`, `no ABI record: its format is`},
		{"format 0", `"format": 1`, `"format": 0`, `its format is`},
		{"no format", `"format": 1,`, ``, `it has no format number`},
		{"unknown field at the top", `"header"`, `"colour": 3, "header"`, `unknown key "colour"`},
		{"unknown field of an item", `"name": "id",`, `"name": "id", "level": "x",`, `struct or union "wc": member "id": unknown field "level"`},
		{"unknown field in a body", `{"name": "imm",`, `{"name": "imm", "level": "x",`, `unknown field "level"`},
		{"key twice", `"name": "id",`, `"name": "id", "name": "ix",`, `key "name" stands twice`},
		{"key of another case", `"name": "id"`, `"Name": "id"`, `unknown key "Name"`},
		{"null", `"offset": 16`, `"offset": null`, `null`},
		{"text for a number", `"offset": 16`, `"offset": "a"`, `struct or union "wc": member "pd": `},
		{"number for a name", `"name": "id"`, `"name": 7`, `struct or union "wc": member number 1: `},
		{"fraction", `"offset": 16`, `"offset": 1.5`, `where an integer of 64 bits is wanted`},
		{"huge number", `"offset": 16`, `"offset": 99999999999999999999`, `where an integer of 64 bits is wanted`},
		{"huge offset", `"offset": 16`, `"offset": 9223372036854775807`, `member pd: offset 9223372036854775807 is out of range`},
		{"negative size", `"name": "bits", "size": 4`, `"name": "bits", "size": -4`, `struct bits: size -4 is out of range`},
		{"alignment", `"size": 4, "align": 4, "members": [
  {"name": "a"`, `"size": 4, "align": 3, "members": [
  {"name": "a"`, `struct bits: alignment 3 is no power of two`},
		{"member outside", `"offset": 16`, `"offset": 160`, `struct wc: member pd: its end, byte 168, is outside of the 72 bytes on amd64`},
		{"last member outside", `"pos": 3, "width": 5`, `"pos": 30, "width": 5`, `struct bits: member b: its end, byte 5, is outside of the 4 bytes on amd64`},
		{"overlap", `"offset": 16`, `"offset": 4`, `member pd: offset 4 is inside of an earlier member`},
		{"size of another type", `"offset": 16, "size": 8`, `"offset": 16, "size": 4`, `member pd: size 4, and * struct pd has 8`},
		{"bit-field of no bits", `"pos": 3, "width": 5`, `"pos": 3, "width": 0`, `member b: a bit-field of 0 bits`},
		{"member twice", `"name": "key"`, `"name": "imm"`, `member imm stands twice`},
		{"member name", `"name": "id"`, `"name": "i d"`, `"i d": not a C name`},
		{"struct twice", `"name": "bits"`, `"name": "wc"`, `wc stands twice`},
		{"struct name", `"name": "bits"`, `"name": "*/ evil"`, `"*/ evil": not a C name`},
		{"enumerator twice", `"name": "BAD"`, `"name": "LINK"`, `enumerator LINK stands twice`},
		{"enumerator of the wrong sign", `"size": 4, "signed": true`, `"size": 4`, `enum status: BAD: -1 does not fit 4 bytes`},
		{"enum size", `"name": "status", "size": 4`, `"name": "status", "size": 5`, `enum status: size 5`},
		{"no such struct", `* struct wc`, `* struct cw`, `function poll: type 1: there is no struct cw`},
		{"a union of that name", `* struct wc`, `* union wc`, `there is no union wc`},
		{"no such enum", `"type": "enum status", "offset"`, `"type": "enum statue", "offset"`, `struct wc: member last: there is no enum "statue"`},
		{"incomplete by value", `"type": "* struct pd"`, `"type": "struct pd"`, `struct pd has no size`},
		{"unknown scalar", `"type": "unsigned long long"`, `"type": "unsigned"`, `constant "BIG": type "unsigned": unknown scalar`},
		{"constant too large", `"type": "unsigned long long"`, `"type": "long"`, `constant BIG: 9223372036854775808 does not fit its type`},
		{"alias of nothing", `"tag": "wc"`, `"tag": "cw"`, `alias completion: nothing has the tag "cw"`},
		{"kind", `"kind": "exported"`, `"kind": "imported"`, `function poll: unknown kind "imported"`},
		{"architecture missing", `, "s390x": 40`, ``, `no number for s390x`},
		{"one architecture of five", `{"amd64": 40, "arm64": 48, "ppc64le": 40, "riscv64": 40, "s390x": 40}`, `{"arm64": 48}`, `no number for amd64`},
		{"unknown architecture", `"s390x": 40`, `"s390": 40`, `unknown key "s390"`},
		{"no numbers", `{"amd64": 40, "arm64": 48, "ppc64le": 40, "riscv64": 40, "s390x": 40}`, `{}`, `an empty object`},
		{"a list for an object", `{"name": "completion", "tag": "wc"}`, `[1]`, `alias number 1: `},
		{"header with an end of comment", `infiniband/verbs.h`, `*/ verbs.h`, `no name of a header`},
		{"header with a line end", `infiniband/verbs.h`, `verbs.h\n#include`, `no name of a header`},
		{"release", `"release": "44.0"`, `"release": "44 */"`, `release "44 */": no release's number`},
		{"nesting", `"offset": 16`, `"offset": ` + strings.Repeat("[", 200) + strings.Repeat("]", 200), `nested deeper than`},
		{"pointers", `* struct wc`, strings.Repeat("* ", 100) + `struct wc`, `nested deeper than`},
	}
	for _, tt := range tests {
		bad := strings.Replace(string(good), tt.from, tt.to, 1)
		if bad == string(good) {
			t.Errorf("%s: %s is not in the record", tt.name, tt.from)
			continue
		}
		_, err := Read([]byte(bad), "dir/44.0.json")
		if err == nil {
			t.Errorf("%s: no error", tt.name)
			continue
		}
		oneLine(t, err, "dir/44.0.json: ", tt.want, "verbsgen dump")
	}
}

// oneLine checks that an error is one line with all of these.
func oneLine(t *testing.T, err error, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(err.Error(), w) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 {
			t.Errorf("error %q, want one line with %q", err, w)
		}
	}
}

func TestTruncated(t *testing.T) {
	good, err := Write(small())
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(good) - 2 {
		if _, err := Read(good[:i], "x.json"); err == nil {
			t.Errorf("the first %d of %d bytes: no error", i, len(good))
		} else {
			oneLine(t, err, "x.json: ", "verbsgen dump")
		}
	}
}

func TestNewerFormat(t *testing.T) {
	for _, text := range []string{`{"format": 2}`, `{"format": 7, "header": {"anything": []}, "Format2": null}`} {
		_, err := Read([]byte(text), "70.json")
		if err == nil {
			t.Errorf("%s: no error", text)
			continue
		}
		oneLine(t, err, "70.json: ", "use a newer verbsgen")
		if strings.Contains(err.Error(), "dump") {
			t.Errorf("error %q: making it again does not help", err)
		}
	}
}

func TestItself(t *testing.T) {
	m := small()
	one := func(name, of string) model.Aggregate {
		return model.Aggregate{Name: name, Size: model.N(8), Align: model.N(8), Members: []model.Member{
			{Name: "x", Type: model.Type{Kind: model.Array, Len: 1, Elem: &model.Type{Kind: model.Struct, Name: of}}, Size: model.N(8)}}}
	}
	m.Aggregates = append(m.Aggregates, one("p", "q"), one("q", "p"))
	if _, err := Write(m); err == nil || !strings.Contains(err.Error(), "contains itself") {
		t.Errorf("two structs inside one another: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	good, err := Write(small())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	for _, s := range []string{"", "{", "[]", "null", `{"format":1}`, `{"format":2}`,
		`{"format":1,"header":"a.h","aggregates":[{"name":"a","size":{"amd64":1}}]}`,
		`{"format":1,"header":"a.h","consts":[{"name":"A","value":-9223372036854775808,"type":"long"}]}`,
		`{"format":1,"header":"a.h","aggregates":[{"name":"a","size":1,"align":1,"members":[{"type":{"type":"struct","body":{"size":1,"align":1}},"offset":0,"size":1}]}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Read(data, "x.json")
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
			return
		}
		b, err := Write(m)
		if err != nil {
			t.Fatalf("read and not written: %v", err)
		}
		again, err := Read(b, "y.json")
		if err != nil {
			t.Fatalf("written and not read: %v", err)
		}
		if d := cmp.Diff(fmt.Sprintf("%#v", m.Header), fmt.Sprintf("%#v", again.Header)); d != "" {
			t.Error(d)
		}
		if u, err := Union([]*model.Model{m}, nil); err != nil || len(u.Funcs) != len(m.Funcs) {
			t.Errorf("the union of one model: %v", err)
		}
	})
}
