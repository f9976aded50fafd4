package record

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// releaseForm admits one text only for one release, so that two that compare equal are equal.
var releaseForm = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){0,5}(-[a-z][0-9a-z]{0,15})?$`)

// IsRelease reports whether r is the name of a release: numbers with points between, such as 65.0, and perhaps a word behind a
// dash that says that it comes before that release: 66.0-rc1.
func IsRelease(r string) bool { return releaseForm.MatchString(r) }

// CompareReleases orders releases by their numbers: 33.2 before 44.0 before 100.0. A release without a name (a header that
// came without one) counts as newer than all. A part that is no number comes before no part, and that before a number:
// 66.0-rc1, 66.0, 66.0.1.
func CompareReleases(a, b string) int {
	if a == "" || b == "" {
		return cmp.Compare(len(b), len(a)) // only the sign counts
	}
	as, bs := releaseParts(a), releaseParts(b)
	for i := range max(len(as), len(bs)) {
		if c := comparePart(part(as, i), part(bs, i)); c != 0 {
			return c
		}
	}
	return 0
}

func releaseParts(r string) []string {
	return strings.FieldsFunc(r, func(c rune) bool { return c == '.' || c == '-' })
}

func part(parts []string, i int) string {
	if i < len(parts) {
		return parts[i]
	}
	return ""
}

func comparePart(a, b string) int {
	x, rankA := rank(a)
	y, rankB := rank(b)
	return cmp.Or(cmp.Compare(rankA, rankB), cmp.Compare(x, y), strings.Compare(a, b))
}

func rank(s string) (n uint64, rank int) {
	n, err := strconv.ParseUint(s, 10, 64)
	switch {
	case err == nil:
		return n, 2
	case s == "":
		return 0, 1
	}
	return 0, 0
}
