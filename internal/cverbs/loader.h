// Finding the functions of libibverbs.so.1 at run time, so that no program is linked against it.
//
// All functions here may be called by any thread, at the same time, and leave errno as it was.

#ifndef IBVGO_LOADER_H
#define IBVGO_LOADER_H

#include <stdlib.h>

// glibc has dlvsym; musl has not, and there nothing can be loaded. The second macro is for tests of that case.
#if defined(__GLIBC__) && !defined(IBVGO_WITHOUT_GLIBC)
#define IBVGO_GLIBC 1
#endif

// The name that the dynamic linker looks for if no path was chosen. It is also the library's SONAME.
#define IBVGO_LIBRARY "libibverbs.so.1"

// ibvgo_fn_t is any function; it is cast to its own type before it is called.
typedef void (*ibvgo_fn_t)(void);

enum ibvgo_reason {
	IBVGO_FINE,
	IBVGO_MISSING,      // there is no such file
	IBVGO_ARCHITECTURE, // it is a program or library of another architecture
	IBVGO_NOT_LIBRARY,  // it is no shared object
	IBVGO_TRUNCATED,    // the file ends early
	IBVGO_UNREADABLE,   // the file cannot be opened or read
	IBVGO_UNLOADABLE,   // the dynamic linker refuses it
	IBVGO_NOT_VERBS,    // it has not one of the functions itself
	IBVGO_OTHER_COPY,   // something else has loaded another copy
	IBVGO_CHOSEN,       // another path was chosen before
	IBVGO_LOADED,       // another library is in use
	IBVGO_NO_MEMORY,
	IBVGO_NO_GLIBC,
	IBVGO_STATIC, // this program is linked statically: what it loads has another errno than the program
};

// Why something failed. The caller owns it. Strings that are too long are cut.
struct ibvgo_failure {
	int reason;
	char path[4096]; // the file concerned
	char text[1024]; // the dynamic linker's words, or ours
};

// ibvgo_fn returns the library's function of one index of ibvgo_symbols, and loads the library if nobody has yet. It is NULL if
// the library cannot be loaded or has no such function; ibvgo_why tells these apart.
ibvgo_fn_t ibvgo_fn(int index);

// What a stub that has nothing to call fails with, in place of an errno value. They are larger than any of those, so that nobody
// takes a failure of the library or of a provider for one of these. Go makes ELIBACC, ENOSYS and EOPNOTSUPP of them.
enum ibvgo_refusal {
	IBVGO_NO_LIBRARY = 0x1b5e0001, // it is not there, or cannot be used
	IBVGO_NO_SYMBOL,               // it has no such function
	IBVGO_NO_OPERATION,            // the object's provider, in this process, has no such function
};

// ibvgo_why tells why ibvgo_fn has not found a function: IBVGO_NO_LIBRARY or IBVGO_NO_SYMBOL.
int ibvgo_why(void);

// ibvgo_choose makes the first use load path: a file if it has a slash, else a name for the dynamic linker to look for. If
// drivers is not empty, it is given to the library as RDMAV_DRIVERS. It returns 0, or -1 and fills f, whose path then is the
// library that stays in force. The strings are copied.
int ibvgo_choose(const char *path, const char *drivers, struct ibvgo_failure *f);

// ibvgo_load loads the library if nobody has yet. It returns 0, or -1 and fills f. A failure is remembered, and not tried again
// until ibvgo_choose is called.
int ibvgo_load(struct ibvgo_failure *f);

// ibvgo_loaded returns 1 and the path of the library in use, or 0. It loads nothing.
int ibvgo_loaded(char *path, size_t room);

// ibvgo_check looks at a file that is to be loaded, since the dynamic linker crashes on a truncated one and calls one of another
// architecture missing. It returns 0, or -1 and fills f.
int ibvgo_check(const char *path, struct ibvgo_failure *f);

// ibvgo_fail fills f and returns -1.
int ibvgo_fail(struct ibvgo_failure *f, enum ibvgo_reason reason, const char *path, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
