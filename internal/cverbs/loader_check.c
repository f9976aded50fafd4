//go:build linux && cgo

#define _GNU_SOURCE
#include "loader.h"

#include <stdarg.h>
#include <stdio.h>

int ibvgo_fail(struct ibvgo_failure *f, enum ibvgo_reason reason, const char *path, const char *format, ...)
{
	va_list args;

	f->reason = reason;
	snprintf(f->path, sizeof f->path, "%s", path);
	va_start(args, format);
	vsnprintf(f->text, sizeof f->text, format, args);
	va_end(args);
	return -1;
}

#ifdef IBVGO_GLIBC

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#elif defined(__powerpc64__)
#define MACHINE EM_PPC64
#elif defined(__riscv)
#define MACHINE EM_RISCV
#elif defined(__s390x__)
#define MACHINE EM_S390
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ORDER ELFDATA2LSB
#else
#define ORDER ELFDATA2MSB
#endif

static const char *machine_name(unsigned machine)
{
	switch (machine) {
	case EM_386: return "i386";
	case EM_X86_64: return "x86-64";
	case EM_ARM: return "arm";
	case EM_AARCH64: return "aarch64";
	case EM_PPC64: return "ppc64";
	case EM_RISCV: return "riscv";
	case EM_S390: return "s390";
	}
	return "another machine";
}

// check_machine looks at the part of an ELF header that is the same for all machines.
static int check_machine(const char *path, const ElfW(Ehdr) *e, struct ibvgo_failure *f)
{
	int other_order = e->e_ident[EI_DATA] != ORDER;
	unsigned machine = other_order ? bswap_16(e->e_machine) : e->e_machine;

	if (e->e_ident[EI_CLASS] != ELFCLASS64 || other_order || machine != MACHINE)
		return ibvgo_fail(f, IBVGO_ARCHITECTURE, path, "the file is for %s (ELF class %d, data %d, machine %u), this program for %s",
				  machine_name(machine), e->e_ident[EI_CLASS], e->e_ident[EI_DATA], machine, machine_name(MACHINE));
	if (e->e_type != ET_DYN)
		return ibvgo_fail(f, IBVGO_NOT_LIBRARY, path, "an ELF file of type %u, not a shared object", e->e_type);
	if (e->e_phentsize != sizeof(ElfW(Phdr)) || !e->e_phnum)
		return ibvgo_fail(f, IBVGO_NOT_LIBRARY, path, "its program headers are damaged");
	return 0;
}

// check_segments finds what would be mapped and is not there: touching it is a SIGBUS.
static int check_segments(int fd, uint64_t size, const char *path, const ElfW(Ehdr) *e, struct ibvgo_failure *f)
{
	ElfW(Phdr) p;
	unsigned i;

	for (i = 0; i < e->e_phnum; i++) {
		uint64_t at = e->e_phoff + i * sizeof p;

		if (at < e->e_phoff || at > size || size - at < sizeof p || pread(fd, &p, sizeof p, at) != sizeof p)
			return ibvgo_fail(f, IBVGO_TRUNCATED, path, "%llu bytes, too few for its program headers", (unsigned long long)size);
		if (p.p_type == PT_LOAD && (p.p_offset > size || size - p.p_offset < p.p_filesz))
			return ibvgo_fail(f, IBVGO_TRUNCATED, path, "%llu bytes, too few for what has to be loaded", (unsigned long long)size);
	}
	return 0;
}

static int check_contents(int fd, const char *path, struct ibvgo_failure *f)
{
	ElfW(Ehdr) e;
	struct stat s;
	ssize_t n;

	if (fstat(fd, &s))
		return ibvgo_fail(f, IBVGO_UNREADABLE, path, "%m");
	if (!S_ISREG(s.st_mode))
		return ibvgo_fail(f, IBVGO_NOT_LIBRARY, path, "not a regular file");
	memset(&e, 0, sizeof e);
	n = pread(fd, &e, sizeof e, 0);
	if (n < 0)
		return ibvgo_fail(f, IBVGO_UNREADABLE, path, "%m");
	if (n == 0)
		return ibvgo_fail(f, IBVGO_TRUNCATED, path, "the file is empty");
	if (memcmp(e.e_ident, ELFMAG, n < SELFMAG ? (size_t)n : SELFMAG))
		return ibvgo_fail(f, IBVGO_NOT_LIBRARY, path, "not an ELF file");
	if (n < (ssize_t)sizeof e)
		return ibvgo_fail(f, IBVGO_TRUNCATED, path, "%d bytes, too few for an ELF header", (int)n);
	return check_machine(path, &e, f) ? -1 : check_segments(fd, s.st_size, path, &e, f);
}

int ibvgo_check(const char *path, struct ibvgo_failure *f)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // without O_NONBLOCK a FIFO would wait for a writer
	int r;

	if (fd < 0)
		return ibvgo_fail(f, errno == ENOENT || errno == ENOTDIR ? IBVGO_MISSING : IBVGO_UNREADABLE, path, "%m");
	r = check_contents(fd, path, f);
	close(fd);
	return r;
}

#endif
