package bind

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// A code is C source in the making.
type code struct{ bytes.Buffer }

// line adds a line.
func (c *code) line(format string, args ...any) { fmt.Fprintf(c, format+"\n", args...) }

// comment adds comment lines; nothing in text gets out of them.
func (c *code) comment(text string) {
	for _, l := range wrap(text) {
		c.line("// %s", strings.TrimRight(l, `\`)) // a backslash at the end would take in the next line
	}
}

// machines are the macros by which compilers tell the architecture.
var machines = map[string]string{
	"amd64": "defined(__x86_64__)", "arm64": "defined(__aarch64__)",
	"ppc64le": "defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)", "riscv64": "defined(__riscv) && __riscv_xlen == 64",
	"s390x": "defined(__s390x__)",
}

// byArch is the macro that picks one of as many arguments as there are architectures.
const byArch = "IBVGO_BY_ARCH"

// number spells n in C.
func number(n model.Num) string {
	if n.By == nil {
		return fmt.Sprint(n.V)
	}
	var s []string
	for _, a := range model.Archs {
		s = append(s, fmt.Sprint(n.At(a)))
	}
	return byArch + "(" + strings.Join(s, ", ") + ")"
}

// defineByArch defines the macro that number uses.
func defineByArch(c *code) {
	args := strings.Join(model.Archs, ", ")
	for i, a := range model.Archs {
		word := "elif"
		if i == 0 {
			word = "if"
		}
		c.line("#%s %s", word, machines[a])
		c.line("#define %s(%s) (%s)", byArch, args, a)
	}
	c.line("#else")
	c.line("#error the layouts are known for %s only", args)
	c.line("#endif")
}

// declare is a C function's head.
func declare(result Type, name string, params []Param) string {
	var list []string
	for _, a := range params {
		list = append(list, a.Type.C+a.C)
	}
	if len(list) == 0 {
		list = []string{"void"}
	}
	return result.C + name + "(" + strings.Join(list, ", ") + ")"
}

// pointer is the declaration of a variable that points to such a function.
func pointer(result Type, name string, params []Param) string {
	return declare(result, "(*"+name+")", params)
}

// cast is the type of such a pointer.
func cast(result Type, params []Param) string {
	var list []string
	for _, a := range params {
		list = append(list, strings.TrimSpace(a.Type.C))
	}
	if len(list) == 0 {
		list = []string{"void"}
	}
	return "(" + result.C + "(*)(" + strings.Join(list, ", ") + "))"
}

func names(params []Param) string {
	var list []string
	for _, a := range params {
		list = append(list, a.C)
	}
	return strings.Join(list, ", ")
}

const lineWidth = 116

// wrap breaks text into lines.
func wrap(text string) []string {
	var r []string
	line := ""
	for w := range strings.FieldsSeq(clean(text)) {
		if line != "" && len(line)+1+len(w) > lineWidth {
			r = append(r, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	if line != "" {
		r = append(r, line)
	}
	return r
}
