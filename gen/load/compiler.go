package load

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goverbs/ibv/gen/compiler"
)

// A host is what this machine's C compiler says of itself.
type host struct {
	macros   string   // its predefined macros, as #define lines
	includes []string // its system include folders, in order
}

// askCompiler asks the compiler that cc names; see compiler.Find.
func askCompiler(cc string) (*host, error) {
	c, err := compiler.Find(cc)
	if err != nil {
		return nil, &Error{Msg: oneLine(err.Error()), Err: err}
	}
	stdout, stderr, err := c.Run(nil, "-dM", "-E", "-v", "-xc", os.DevNull)
	if err != nil {
		return nil, &Error{
			Msg: oneLine(fmt.Sprintf("the C compiler %s failed: %v: %s", c[0], err, lastLine(string(stderr)))),
			Err: errors.Join(compiler.ErrNone, err),
		}
	}
	h := &host{macros: string(stdout), includes: includeFolders(string(stderr))}
	if !strings.Contains(h.macros, "#define __linux__ 1") || !strings.Contains(h.macros, "#define __LP64__ 1") {
		return nil, &Error{Msg: fmt.Sprintf("the C compiler %s is not one for 64-bit Linux", c[0]), Err: compiler.ErrNone}
	}
	return h, nil
}

// includeFolders reads the search list that -v prints.
func includeFolders(log string) (dirs []string) {
	_, list, _ := strings.Cut(log, "#include <...> search starts here:\n")
	list, _, _ = strings.Cut(list, "End of search list.")
	for line := range strings.Lines(list) {
		dirs = append(dirs, filepath.Clean(strings.TrimSpace(line)))
	}
	return dirs
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
