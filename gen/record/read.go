package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// again ends the message about a damaged record.
const again = "the record is damaged: make it again with 'verbsgen dump'"

// maxRecord bounds a record's bytes; real ones have less than a megabyte.
const maxRecord = 64 << 20

// Read reads a record; name is its file's name, for messages. A damaged record or one of a newer format is an error of one
// line that names the file and the item.
func Read(data []byte, name string) (*model.Model, error) {
	m, err := read(data)
	var newer *newerError
	switch {
	case errors.As(err, &newer):
		return nil, fmt.Errorf("%s: %w", name, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w; %s", name, err, again)
	}
	return m, nil
}

// A newerError says that a record's format is not known yet.
type newerError struct{ format int64 }

func (e *newerError) Error() string {
	return fmt.Sprintf("a record of format %d, and this verbsgen reads up to %d: use a newer verbsgen", e.format, Format)
}

// raw is a record whose items are still text, so that a damaged one can be named.
type raw struct {
	Format     int               `json:"format"`
	Header     string            `json:"header"`
	Release    string            `json:"release"`
	Level      string            `json:"level"`
	Kernel     string            `json:"kernel"`
	Aggregates []json.RawMessage `json:"aggregates"`
	Enums      []json.RawMessage `json:"enums"`
	Consts     []json.RawMessage `json:"consts"`
	Aliases    []json.RawMessage `json:"aliases"`
	Funcs      []json.RawMessage `json:"functions"`
}

func read(data []byte) (*model.Model, error) {
	if len(data) > maxRecord {
		return nil, fmt.Errorf("%d bytes, more than any record", len(data))
	}
	if err := checkFormat(data); err != nil {
		return nil, err
	}
	if err := checkShape(data); err != nil {
		return nil, err
	}
	var r raw
	if err := strict(data, &r); err != nil {
		return nil, err
	}
	m := &model.Model{Header: r.Header, Release: r.Release, Level: r.Level, Kernel: r.Kernel}
	err := errors.Join(
		items(&m.Aggregates, r.Aggregates, "struct or union"), items(&m.Enums, r.Enums, "enum"),
		items(&m.Consts, r.Consts, "constant"), items(&m.Aliases, r.Aliases, "alias"), items(&m.Funcs, r.Funcs, "function"),
	)
	if err != nil {
		return nil, first(err)
	}
	return m, Check(m)
}

// first returns the first of joined errors.
func first(err error) error {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		return j.Unwrap()[0]
	}
	return err
}

// checkFormat looks at nothing but the format number: the rest may have any form in a newer record.
func checkFormat(data []byte) error {
	var head struct {
		Format json.RawMessage `json:"format"`
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("the file is empty")
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return plain(err, data)
	}
	if head.Format == nil {
		return errors.New("no ABI record: it has no format number")
	}
	n, err := strconv.ParseInt(string(head.Format), 10, 64)
	switch {
	case err != nil || n < 1:
		return fmt.Errorf("no ABI record: its format is %.40q", head.Format)
	case n > Format:
		return &newerError{n}
	}
	return nil
}

// items decodes each element of a list.
func items[T any](to *[]T, list []json.RawMessage, what string) error {
	for i, b := range list {
		var v T
		if err := strict(b, &v); err != nil {
			return fmt.Errorf("%s: %w", where(b, i, what), culprit(b, err))
		}
		*to = append(*to, v)
	}
	return nil
}

// strict decodes one JSON value without unknown fields.
func strict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return plain(d.Decode(v), b)
}

// where names a list's element by what can be read of it.
func where(b json.RawMessage, i int, what string) string {
	var named struct {
		Name any `json:"name"`
	}
	if err := json.Unmarshal(b, &named); err == nil {
		if s, ok := named.Name.(string); ok && s != "" {
			return fmt.Sprintf("%s %.80q", what, s)
		}
	}
	return fmt.Sprintf("%s number %d", what, i+1)
}

// culprit names the member or enumerator that alone makes the error err of its item.
func culprit(b json.RawMessage, err error) error {
	var item struct {
		Members, Enumerators []json.RawMessage
	}
	if json.Unmarshal(b, &item) != nil {
		return err
	}
	return first(errors.Join(
		items(new([]model.Member), item.Members, "member"),
		items(new([]model.Enumerator), item.Enumerators, "enumerator"), err))
}

// plain rewords an error of encoding/json in terms of the record.
func plain(err error, data []byte) error {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: %s", line(data, syntax.Offset), syntax.Error())
	case errors.As(err, &typ):
		return fmt.Errorf("%s: %.80s where %s is wanted", cmpOr(typ.Field, "value"), typ.Value, wanted(typ.Type))
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

func cmpOr(s, or string) string {
	if s == "" {
		return or
	}
	return s
}

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "an integer of 64 bits"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "an object"
	case reflect.Bool:
		return "true or false"
	}
	return "a string"
}

// line returns the number of the line that holds offset.
func line(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n"))
}
