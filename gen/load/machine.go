package load

import (
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// The headers of libc and the kernel that a machine has of its own say nothing about other architectures. Those that are
// substituted are right; of the others only these may be used for another architecture: they are the same on all.
var (
	machineFile = regexp.MustCompile(`(^|/)(bits|asm|gnu)/|(^|/)sys/(ucontext|user|procfs|reg|elf|debugreg|ptrace|vm86)\.h$`)
	sameFiles   = []string{
		"bits/types.h", "bits/stdint-intn.h", "bits/stdint-uintn.h", "bits/stdint-least.h", "bits/socket.h", "bits/sockaddr.h",
		"bits/socket_type.h", "bits/in.h", "asm/types.h", "asm/posix_types.h", "asm/posix_types_64.h",
		"types/struct_timespec.h", "types/struct_timeval.h", "types/struct_itimerspec.h", "types/struct_iovec.h",
		"types/struct_tm.h", "types/__sigset_t.h", "types/sigset_t.h", "types/time_t.h", "types/clock_t.h", "types/clockid_t.h",
		"types/timer_t.h", "types/FILE.h", "types/__FILE.h", "types/struct_FILE.h", "types/wint_t.h", "types/locale_t.h",
		"types/__locale_t.h", "types/mbstate_t.h", "types/__mbstate_t.h", "types/__fpos_t.h", "types/__fpos64_t.h",
	}
	// sizeDiffers are typedefs of bits/types.h that new architectures have smaller.
	sizeDiffers = []string{"nlink_t", "__nlink_t", "blksize_t", "__blksize_t"}
)

// foreignMachine reports whether what file declares may be of another size on arch.
func (in *input) foreignMachine(arch, file string) bool {
	if arch == runtime.GOARCH || isSubstitute(file) || !machineFile.MatchString(in.includedAs(file)) {
		return false
	}
	name := path.Join(path.Base(path.Dir(file)), path.Base(file))
	return !slices.Contains(sameFiles, name)
}

// includedAs is the name of a file below the innermost folder in which the compiler searches for headers; below one given by the
// user if the file does not belong to the header. It is empty for other files: what their folders are called says nothing.
func (in *input) includedAs(file string) (name string) {
	for i, dir := range in.dirs {
		rest, ok := strings.CutPrefix(file, dir+"/")
		system := i >= len(in.dirs)-len(in.host.includes)
		if ok && (system || !in.own.owns(file)) && (name == "" || len(rest) < len(name)) {
			name = rest
		}
	}
	return name
}
