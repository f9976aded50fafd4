package load

import (
	"fmt"
	"regexp"
	"strings"

	"modernc.org/cc/v4"
)

// A target is what the headers of one architecture say that those of the host do not. Everything else that verbs.h and its
// relatives reach is the same on all 64-bit Linux machines with glibc.
type target struct {
	macros    string // predefined by its compilers, besides those that all have
	bigEndian bool
	wchar     string // type of wchar_t

	// Sizes of glibc's pthread types; their alignment is 8 where they hold a long, else 4.
	mutex, attr, mutexattr, condattr, barrierattr int
}

var targets = map[string]*target{
	"amd64": {macros: "__x86_64__ __x86_64 __amd64__ __amd64 __SSE__ __SSE2__", wchar: "int",
		mutex: 40, attr: 56, mutexattr: 4, condattr: 4, barrierattr: 4},
	"arm64": {macros: "__aarch64__ __AARCH64EL__ __ARM_64BIT_STATE __CHAR_UNSIGNED__", wchar: "unsigned int",
		mutex: 48, attr: 64, mutexattr: 8, condattr: 8, barrierattr: 8},
	"ppc64le": {macros: "__powerpc__ __powerpc64__ __PPC__ __PPC64__ _ARCH_PPC _ARCH_PPC64 __LITTLE_ENDIAN__ __CHAR_UNSIGNED__",
		wchar: "int", mutex: 40, attr: 56, mutexattr: 4, condattr: 4, barrierattr: 4},
	"riscv64": {macros: "__riscv __CHAR_UNSIGNED__ __riscv_xlen=64 __riscv_flen=64", wchar: "int",
		mutex: 40, attr: 56, mutexattr: 4, condattr: 4, barrierattr: 4},
	"s390x": {macros: "__s390__ __s390x__ __zarch__ __CHAR_UNSIGNED__", wchar: "int", bigEndian: true,
		mutex: 40, attr: 56, mutexattr: 4, condattr: 4, barrierattr: 4},
}

// hostMacros let the headers of a host of one architecture serve all: on powerpc __u64 is then what it is elsewhere, and riscv's
// setjmp.h does not stop.
const hostMacros = " __SANE_USERSPACE_TYPES__ __riscv_float_abi_double"

// Sizes of the pthread types that are the same everywhere.
const (
	condSize       = 48
	rwlockSize     = 56
	rwlockattrSize = 8
	barrierSize    = 32
)

// machineMacro matches the definitions of predefined macros that differ between architectures; a target adds its own.
var machineMacro = regexp.MustCompile(`(?m)^#define (__x86_64|__amd64|__k8|__code_model|__SSE|__MMX|__FXSR|__SEG_|__SIZEOF_FLOAT80|` +
	`__SIZEOF_FLOAT128|__AARCH64|__aarch64|__ARM_|_ARCH_P|_CALL_|__ALTIVEC|__APPLE_ALTIVEC|__POWER|__PPC|__powerpc|__VSX|__VEC_|` +
	`__LITTLE_ENDIAN__|_LITTLE_ENDIAN|__LONG_DOUBLE|__LONGDOUBLE|__vector|__pixel|__bool|vector|pixel|bool|__builtin_vsx|` +
	`__float128|__riscv|__s390|__zarch|__ARCH__|__CHAR_UNSIGNED__|__WCHAR_|__BYTE_ORDER__|__FLOAT_WORD_ORDER__)\w*\b.*\n`)

// predefined returns the host compiler's macros, made the target's.
func (t *target) predefined(host string) string {
	var b strings.Builder
	b.WriteString(machineMacro.ReplaceAllString(host, ""))
	if !strings.HasSuffix(host, "\n") {
		b.WriteByte('\n')
	}
	for _, name := range strings.Fields(t.macros + hostMacros) {
		name, value, ok := strings.Cut(name, "=")
		if !ok {
			value = "1"
		}
		fmt.Fprintf(&b, "#define %s %s\n", name, value)
	}
	order := "LITTLE"
	if t.bigEndian {
		order = "BIG"
	}
	fmt.Fprintf(&b, "#define __BYTE_ORDER__ __ORDER_%s_ENDIAN__\n#define __FLOAT_WORD_ORDER__ __ORDER_%s_ENDIAN__\n", order, order)
	max, min := "0x7fffffff", "(-__WCHAR_MAX__ - 1)"
	if t.wchar != "int" {
		max, min = "0xffffffffU", "0U"
	}
	fmt.Fprintf(&b, "#define __WCHAR_TYPE__ %s\n#define __WCHAR_MAX__ %s\n#define __WCHAR_MIN__ %s\n", t.wchar, max, min)
	return b.String()
}

// config returns the front end's configuration for arch.
func config(arch string, on *host) (*cc.Config, error) {
	abi, err := cc.NewABI("linux", arch)
	if err != nil {
		return nil, err
	}
	return &cc.Config{
		ABI:            abi,
		Predefined:     targets[arch].predefined(on.macros),
		Header:         true,
		UnsignedEnums:  true,
		ABILayout:      true,
		FSOnly:         true,
		ExpansionLimit: expansionLimit,
	}, nil
}

// expansionLimit bounds the tokens that the front end processes, those of macros more than once: verbs.h takes some 110,000 steps.
// See scan for what it has to do with the stack.
const expansionLimit = 500_000
