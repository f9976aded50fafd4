package plan

import (
	"strconv"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// A history knows the oldest release of a union of records: nothing can be told about what went before.
type history struct{ oldest string }

func newHistory(m *model.Model) history {
	var h history
	see := func(s string) {
		if s != "" && (h.oldest == "" || older(s, h.oldest)) {
			h.oldest = s
		}
	}
	for _, a := range m.Aggregates {
		see(a.Since)
	}
	for _, e := range m.Enums {
		see(e.Since)
	}
	for _, c := range m.Consts {
		see(c.Since)
	}
	for _, f := range m.Funcs {
		see(f.Since)
	}
	return h
}

// since is the end of an item's sentence: ", since 44.0", or nothing if the model is of one header.
func (h history) since(release string) string {
	switch release {
	case "":
		return ""
	case h.oldest:
		return ", since " + clean(release) + " or before"
	}
	return ", since " + clean(release)
}

// note is what to say about a part of an item that came later than the item itself.
func (h history) note(release, whole string) string {
	if release == "" || release == whole || release == h.oldest {
		return ""
	}
	return "since " + clean(release)
}

// older reports whether release a is older than b: 9.1 than 10.0.
func older(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, errX := strconv.Atoi(as[i])
		y, errY := strconv.Atoi(bs[i])
		switch {
		case errX != nil || errY != nil:
			if as[i] != bs[i] {
				return as[i] < bs[i]
			}
		case x != y:
			return x < y
		}
	}
	return len(as) < len(bs)
}
