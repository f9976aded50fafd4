package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A compiler is what the host's C compiler says of itself.
type compiler struct {
	macros   string   // its predefined macros, as #define lines
	includes []string // its system include folders, in order
}

// compilerTimeout bounds the one process that is started.
const compilerTimeout = 30 * time.Second

// askCompiler runs the first usable compiler of cc, or of $CC, gcc, cc and clang if cc is empty.
func askCompiler(cc string) (*compiler, error) {
	names := []string{cc}
	if cc == "" {
		names = []string{os.Getenv("CC"), "gcc", "cc", "clang"}
	}
	var tried []string
	for _, name := range names {
		argv := strings.Fields(name)
		if len(argv) == 0 {
			continue
		}
		if _, err := exec.LookPath(argv[0]); err != nil {
			tried = append(tried, argv[0])
			continue
		}
		return runCompiler(argv)
	}
	return nil, &Error{
		Msg: fmt.Sprintf("no C compiler (tried %s): install one (apt-get install gcc) or name it in CC", strings.Join(tried, ", ")),
		Err: ErrNoCompiler,
	}
}

func runCompiler(argv []string) (*compiler, error) {
	ctx, cancel := context.WithTimeout(context.Background(), compilerTimeout)
	defer cancel()
	args := append(argv[1:len(argv):len(argv)], "-dM", "-E", "-v", "-xc", os.DevNull)
	cmd := exec.CommandContext(ctx, argv[0], args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, &Error{
			Msg: oneLine(fmt.Sprintf("the C compiler %s failed: %v: %s", argv[0], err, lastLine(stderr.String()))),
			Err: errors.Join(ErrNoCompiler, err),
		}
	}
	c := &compiler{macros: stdout.String(), includes: includeFolders(stderr.String())}
	if !strings.Contains(c.macros, "#define __linux__ 1") || !strings.Contains(c.macros, "#define __LP64__ 1") {
		return nil, &Error{Msg: fmt.Sprintf("the C compiler %s is not one for 64-bit Linux", argv[0]), Err: ErrNoCompiler}
	}
	return c, nil
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
