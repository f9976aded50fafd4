package load

import (
	"fmt"
	"strings"
)

// substituteRoot is the folder, which exists only in memory, that holds the headers of an architecture which stand before
// those of the host.
const substituteRoot = "/verbsgen-substitutes/"

// substitutes returns the headers that an architecture has of its own, by path. They declare types and macros by the names
// that glibc and the kernel give them; contents are opaque but for sizes.
func (t *target) substitutes(arch string) map[string]string {
	dir := substituteRoot + arch + "/"
	order, name := "__LITTLE_ENDIAN", "little"
	if t.bigEndian {
		order, name = "__BIG_ENDIAN", "big"
	}
	return map[string]string{
		dir + "bits/pthreadtypes.h":      t.pthreadTypes(),
		dir + "bits/wordsize.h":          "#define __WORDSIZE 64\n#define __WORDSIZE_TIME64_COMPAT32 0\n",
		dir + "bits/endianness.h":        "#define __BYTE_ORDER " + order + "\n",
		dir + "bits/pthreadtypes-arch.h": t.pthreadSizes(),
		dir + "asm/bitsperlong.h":        "#define __BITS_PER_LONG 64\n#include <asm-generic/bitsperlong.h>\n",
		dir + "gnu/stubs.h":              "",
		dir + "asm/byteorder.h":          "#include <linux/byteorder/" + name + "_endian.h>\n",
	}
}

// pthreadTypes declares what bits/pthreadtypes.h does.
func (t *target) pthreadTypes() string {
	var b strings.Builder
	b.WriteString("#ifndef _BITS_PTHREADTYPES_COMMON_H\n#define _BITS_PTHREADTYPES_COMMON_H 1\n" +
		"typedef unsigned long pthread_t;\ntypedef unsigned int pthread_key_t;\ntypedef int pthread_once_t;\n" +
		"typedef volatile int pthread_spinlock_t;\n" +
		"typedef unsigned int __tss_t;\ntypedef unsigned long __thrd_t;\ntypedef struct { int __data; } __once_flag;\n")
	b.WriteString("#ifndef __have_pthread_attr_t\ntypedef union pthread_attr_t pthread_attr_t;\n#define __have_pthread_attr_t 1\n#endif\n")
	opaque := func(open, word, close string, size int) {
		fmt.Fprintf(&b, "%s { char __size[%d]; %s __align; } %s;\n", open, size, word, close)
	}
	opaque("union pthread_attr_t", "long", "", t.attr)
	opaque("typedef union", "long", "pthread_mutex_t", t.mutex)
	opaque("typedef union", "long long", "pthread_cond_t", condSize)
	opaque("typedef union", "long", "pthread_rwlock_t", rwlockSize)
	opaque("typedef union", "long", "pthread_rwlockattr_t", rwlockattrSize)
	opaque("typedef union", "long", "pthread_barrier_t", barrierSize)
	opaque("typedef union", "int", "pthread_mutexattr_t", t.mutexattr)
	opaque("typedef union", "int", "pthread_condattr_t", t.condattr)
	opaque("typedef union", "int", "pthread_barrierattr_t", t.barrierattr)
	b.WriteString("#endif\n")
	return b.String()
}

// pthreadSizes defines what bits/pthreadtypes-arch.h does, for the types of threads.h.
func (t *target) pthreadSizes() string {
	var b strings.Builder
	b.WriteString("#ifndef _BITS_PTHREADTYPES_ARCH_H\n#define _BITS_PTHREADTYPES_ARCH_H 1\n")
	for _, d := range []struct {
		name string
		size int
	}{
		{"MUTEX", t.mutex}, {"ATTR", t.attr}, {"RWLOCK", rwlockSize}, {"BARRIER", barrierSize}, {"MUTEXATTR", t.mutexattr},
		{"COND", condSize}, {"CONDATTR", t.condattr}, {"RWLOCKATTR", rwlockattrSize}, {"BARRIERATTR", t.barrierattr},
	} {
		fmt.Fprintf(&b, "#define __SIZEOF_PTHREAD_%s_T %d\n", d.name, d.size)
	}
	b.WriteString("#define __LOCK_ALIGNMENT\n#define __ONCE_ALIGNMENT\n#endif\n")
	return b.String()
}

// isSubstitute reports whether path is one of the headers above.
func isSubstitute(path string) bool { return strings.HasPrefix(path, substituteRoot) }
