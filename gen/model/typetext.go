package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Text is t in prefix notation, each part before what it applies to: "const T", "@name T" (named through the typedef),
// "* T", "[16] T", "[] T" (flexible), "struct tag", "union tag", "enum tag", "struct" (a body follows), "func", "void",
// or the C spelling of a scalar.
func (t Type) Text() string {
	var b strings.Builder
	for p := &t; p != nil; p = p.Elem {
		if p.Const {
			b.WriteString("const ")
		}
		if p.Typedef != "" {
			b.WriteString("@" + p.Typedef + " ")
		}
		switch p.Kind {
		case Void:
			b.WriteString("void")
		case Scalar:
			b.WriteString(p.Name)
		case Pointer:
			b.WriteString("* ")
		case Array:
			if p.Len < 0 {
				b.WriteString("[] ")
			} else {
				fmt.Fprintf(&b, "[%d] ", p.Len)
			}
		case Struct:
			b.WriteString(strings.TrimSuffix("struct "+p.Name, " "))
		case Union:
			b.WriteString(strings.TrimSuffix("union "+p.Name, " "))
		case EnumRef:
			b.WriteString("enum " + p.Name)
		case Function:
			b.WriteString("func")
		}
	}
	return b.String()
}

// ParseType reads the notation of Text.
func ParseType(s string) (Type, error) {
	t, err := parseType(s, 0)
	if err != nil {
		return Type{}, fmt.Errorf("type %q: %w", s, err)
	}
	return t, nil
}

// maxTypeDepth bounds the nesting of a type read from a record.
const maxTypeDepth = 64

func parseType(s string, depth int) (t Type, err error) {
	if depth > maxTypeDepth {
		return t, fmt.Errorf("nested deeper than %d", maxTypeDepth)
	}
	if rest, ok := strings.CutPrefix(s, "const "); ok {
		t.Const, s = true, rest
	}
	if rest, ok := strings.CutPrefix(s, "@"); ok {
		t.Typedef, s, ok = strings.Cut(rest, " ")
		if !ok || !isIdent(t.Typedef) {
			return t, fmt.Errorf("a typedef without its type")
		}
	}
	word, rest, _ := strings.Cut(s, " ")
	switch {
	case word == "*":
		t.Kind = Pointer
	case strings.HasPrefix(word, "["):
		t.Kind = Array
		if t.Len, err = parseLen(word); err != nil {
			return t, err
		}
	case s == "void":
		t.Kind = Void
	case s == "func":
		t.Kind = Function
	case word == "struct":
		t.Kind, t.Name = Struct, rest
	case word == "union":
		t.Kind, t.Name = Union, rest
	case word == "enum" && rest != "":
		t.Kind, t.Name = EnumRef, rest
	default:
		if _, ok := Scalars[s]; !ok {
			return t, fmt.Errorf("unknown scalar %q", s)
		}
		t.Kind, t.Name = Scalar, s
	}
	if t.Kind == Struct || t.Kind == Union || t.Kind == EnumRef {
		if t.Name != "" && !isIdent(t.Name) {
			return t, fmt.Errorf("%q is not a C name", t.Name)
		}
	}
	if t.Kind == Pointer || t.Kind == Array {
		e, err := parseType(rest, depth+1)
		if err != nil {
			return t, err
		}
		t.Elem = &e
	}
	return t, nil
}

func parseLen(word string) (int64, error) {
	if word == "[]" {
		return -1, nil
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(word[1:], "]"), 10, 64)
	if err != nil || n < 0 || !strings.HasSuffix(word, "]") {
		return 0, fmt.Errorf("%q is not an array length", word)
	}
	return n, nil
}

func isIdent(s string) bool {
	for i, c := range s {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// body returns the unnamed aggregate at the end of t's chain of pointers and arrays, or nil.
func (t *Type) body() **Aggregate {
	for t.Elem != nil {
		t = t.Elem
	}
	return &t.Body
}

type typeWithBody struct {
	Type string     `json:"type"`
	Body *Aggregate `json:"body"`
}

// MarshalJSON writes Text as a string, or an object that holds it and the body of an unnamed aggregate.
func (t Type) MarshalJSON() ([]byte, error) {
	if b := *t.body(); b != nil {
		return json.Marshal(typeWithBody{t.Text(), b})
	}
	return json.Marshal(t.Text())
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Type) UnmarshalJSON(b []byte) error {
	var w typeWithBody
	var err error
	if len(b) > 0 && b[0] == '{' {
		// A decoder's DisallowUnknownFields does not reach in here by itself.
		d := json.NewDecoder(bytes.NewReader(b))
		d.DisallowUnknownFields()
		err = d.Decode(&w)
	} else {
		err = json.Unmarshal(b, &w.Type)
	}
	if err != nil {
		return err
	}
	if *t, err = ParseType(w.Type); err != nil {
		return err
	}
	last := t
	for last.Elem != nil {
		last = last.Elem
	}
	unnamed := (last.Kind == Struct || last.Kind == Union) && last.Name == ""
	if unnamed != (w.Body != nil) {
		return fmt.Errorf("type %q: an unnamed struct or union and a body go together", w.Type)
	}
	last.Body = w.Body
	return nil
}
