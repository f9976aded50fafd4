package verbs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goverbs/ibv/internal/cverbs"
)

// Whether a provider's functions return at once is to be known before they are called past Go's scheduler. It was looked up in the sources
// of rdma-core's providers: those named here take a spin lock or two, look at memory, and write to a device's registers.
var prompt = map[string][]cverbs.Verb{
	"mlx5":  {cverbs.VerbPollCQ, cverbs.VerbPostSend, cverbs.VerbPostRecv},
	"mlx4":  {cverbs.VerbPollCQ, cverbs.VerbPostSend, cverbs.VerbPostRecv},
	"efa":   {cverbs.VerbPollCQ, cverbs.VerbPostSend, cverbs.VerbPostRecv},
	"irdma": {cverbs.VerbPollCQ, cverbs.VerbPostSend, cverbs.VerbPostRecv},
	// Their sends are a write(2), in which the kernel allocates, and may do the sending.
	"rxe": {cverbs.VerbPollCQ, cverbs.VerbPostRecv},
	"siw": {cverbs.VerbPollCQ, cverbs.VerbPostRecv},
}

// Environment variables with which mlx5 does not return at once, and what they ask for. It reads them when a context is opened. The other
// providers above read none. A value of 0 asks for nothing.
var stalling = map[string]string{
	"MLX5_FREEZE_ON_ERROR_CQE": "a poll that finds a failure never returns",
	"MLX5_STALL_CQ_POLL":       "polls wait before they look",
	"MLX5_STALL_NUM_LOOP":      "polls may wait for long before they look",
	"MLX5_DEBUG_FILE":          "polls and posts write to a file",
}

// stalls is which of them are set, sorted.
func stalls() []string {
	var r []string
	for name := range stalling {
		if value := os.Getenv(name); value != "" && value != "0" {
			r = append(r, name+"="+value)
		}
	}
	slices.Sort(r)
	return r
}

// unprompt is why a verb of the context, which is the function at an address, may not return at once; empty if it does.
func (c *Context) unprompt(v cverbs.Verb, function uintptr) string {
	if function == 0 {
		return "the device has no " + short(v)
	}
	if cverbs.Registered(c.raw) {
		return "" // as Register demands
	}
	return unprompt(v, cverbs.FileOf(function), c.stalls)
}

func unprompt(v cverbs.Verb, file string, stalls []string) string {
	name := providerIn(file)
	verbs, known := prompt[name]
	switch {
	case file == "":
		return fmt.Sprintf("it is not known whose %s the device has", short(v))
	case !known:
		return fmt.Sprintf("it is not known that %s in %s returns at once", short(v), file)
	case !slices.Contains(verbs, v):
		return fmt.Sprintf("%s of %s enters the kernel", short(v), name)
	case name == "mlx5" && len(stalls) > 0:
		variable, _, _ := strings.Cut(stalls[0], "=")
		return fmt.Sprintf("%s was set when the context was opened: %s", stalls[0], stalling[variable])
	}
	return ""
}

// short is the name of the operation, as a provider has it.
func short(v cverbs.Verb) string { return strings.TrimPrefix(v.String(), "ibv_") }

var providerFile = regexp.MustCompile(`^lib([a-z0-9_]+?)(-rdmav[0-9]+)?\.so(\.[0-9.]+)?$`)

// providerIn is the name of the provider that a shared object has: mlx5 for libmlx5.so.1.24.44.0 and libmlx5-rdmav34.so.
func providerIn(file string) string {
	m := providerFile.FindStringSubmatch(filepath.Base(file))
	if m == nil {
		return ""
	}
	return m[1]
}
