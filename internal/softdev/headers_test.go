//go:build linux && cgo

package softdev

import (
	"testing"

	"github.com/goverbs/ibv/internal/headers"
)

// The C code compiles with the headers of each recorded release, with each compiler, without a warning.
func TestHeaders(t *testing.T) {
	t.Parallel()
	files(t, "*.h")
	sources := append(files(t, "*.c"), files(t, "../beside/*.c")...)
	for _, release := range headers.Releases {
		for _, cc := range []string{"gcc", "clang"} {
			t.Run(release+"/"+cc, func(t *testing.T) {
				t.Parallel()
				args := []string{"-std=gnu11", "-pthread", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I" + headers.Include(t, release)}
				if out := run(t, cc, append(args, sources...)...); out != "" {
					t.Error(out)
				}
			})
		}
	}
}
