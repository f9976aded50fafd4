// The check opens files so that no program started meanwhile has them. Linked with --wrap=open; the argument is any ELF file.

#include "demand.h"
#include "loader.h"
#include <fcntl.h>

int __real_open(const char *path, int flags);
int __wrap_open(const char *path, int flags);

static int opened;

int __wrap_open(const char *path, int flags)
{
	demand(flags & O_CLOEXEC, "not closed on exec");
	opened++;
	return __real_open(path, flags);
}

int main(int argc, char **argv)
{
	static struct ibvgo_failure f;

	demand(argc == 2, "usage: check FILE");
	ibvgo_check(argv[1], &f);
	demand(opened == 1, "not opened once");
	puts("done");
	return 0;
}
