package plan

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// clean makes one printable line of s, so that nothing in it can end a comment.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffd {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// lineWidth is the width at which comments are wrapped.
const lineWidth = 110

// wrap breaks paragraphs into comment lines with an empty one between.
func wrap(paragraphs ...string) []string {
	var r []string
	for _, p := range paragraphs {
		for part := range strings.SplitSeq(p, "\n\n") {
			if part = clean(part); part == "" {
				continue
			}
			if r != nil {
				r = append(r, "")
			}
			r = append(r, wrapOne(part)...)
		}
	}
	return r
}

// marker matches what gofmt would take for a list or a heading at the start of a line.
var marker = regexp.MustCompile(`^([-+*•#]|[0-9]+[.)])`)

func wrapOne(text string) []string {
	var r []string
	line := ""
	for w := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(w) > lineWidth && !marker.MatchString(w) {
			r = append(r, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	return append(r, line)
}

// bytesText is a size in words: "8 bytes", or "328 bytes; 336 on arm64".
func bytesText(n model.Num, archs []string) string {
	base := n.At(archs[0])
	text := fmt.Sprintf("%d bytes", base)
	if base == 1 {
		text = "1 byte"
	}
	sep := "; "
	for _, a := range archs {
		if n.At(a) != base {
			text += fmt.Sprintf("%s%d on %s", sep, n.At(a), a)
			sep = ", "
		}
	}
	return text
}

// a list in words: "a, b and c".
func list(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " and " + items[last]
}
