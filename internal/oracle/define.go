package oracle

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var (
	lineMarker = regexp.MustCompile(`^# (\d+) "((?:[^"\\]|\\.)*)"`)
	define     = regexp.MustCompile(`^#define ([A-Za-z_][A-Za-z0-9_]*)(.*)$`)
	undefine   = regexp.MustCompile(`^#undef ([A-Za-z_][A-Za-z0-9_]*)`)
)

// definitions returns the object-like macros that are defined, with a body, after the header was read: name, file and line.
func definitions(cc, include []string, header string) ([]Macro, error) {
	out, text, err := run(cc, include, "#include <"+header+">\n", "-E", "-dD")
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cc[0], err, text)
	}
	at := map[string]int{}
	var list []Macro
	file, line := "", int64(0)
	for _, s := range strings.Split(out, "\n") {
		if m := lineMarker.FindStringSubmatch(s); m != nil {
			line, _ = strconv.ParseInt(m[1], 10, 64)
			file = filepath.Clean(m[2])
			continue
		}
		if m := define.FindStringSubmatch(s); m != nil {
			body := strings.TrimSpace(m[2])
			if !strings.HasPrefix(m[2], "(") && body != "" && balanced(body) {
				at[m[1]] = len(list)
				list = append(list, Macro{Name: m[1], File: file, Line: line})
			}
		} else if m := undefine.FindStringSubmatch(s); m != nil {
			if i, ok := at[m[1]]; ok {
				list[i].Name = ""
				delete(at, m[1])
			}
		}
		line++
	}
	var kept []Macro
	for i, m := range list {
		if j, ok := at[m.Name]; ok && i == j {
			kept = append(kept, m)
		}
	}
	return kept, nil
}

// balanced leaves out bodies that would take the lines after them along.
func balanced(body string) bool {
	depth := 0
	for _, c := range body {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0 && !strings.HasPrefix(body, "#")
}
