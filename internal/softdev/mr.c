//go:build linux && cgo

#include "core.h"

#define REMOTE_WRITES (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)
#define KNOWN (IBV_ACCESS_LOCAL_WRITE | REMOTE_WRITES | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED | IBV_ACCESS_HUGETLB)
// On-demand paging, and flushing to global visibility or persistence, whose names not all headers have.
#define LACKING (IBV_ACCESS_ON_DEMAND | 1u << 8 | 1u << 9)

// refused returns the errno value for what cannot be registered, or 0.
static int refused(const struct softdev *d, uint64_t addr, uint64_t length, unsigned int access)
{
	access &= ~IBV_ACCESS_OPTIONAL_RANGE; // may be ignored: see ibv_reg_mr(3)
	if (access & ~(KNOWN | LACKING))
		return EINVAL;
	if (access & LACKING)
		return EOPNOTSUPP;
	// ibv_reg_mr(3): no remote writing without local writing.
	if (access & REMOTE_WRITES && !(access & IBV_ACCESS_LOCAL_WRITE))
		return EINVAL;
	// Drivers differ about no memory at all: this one has nothing to pin.
	if (!length || length > d->config.max_mr_size || addr + length < addr)
		return EINVAL;
	return 0;
}

// enlist gives a region its key and its place: 0 or ENOMEM. Needs d->lock.
static int enlist(struct softdev *d, struct sd_mr *m)
{
	uint64_t left = d->config.memlock - d->registered;
	uint32_t number;

	// As RLIMIT_MEMLOCK, which ibv_reg_mr(3)'s ENOMEM mostly is; bytes are counted, not pages.
	if (d->config.memlock && m->mr.length > left)
		return ENOMEM;
	number = sd_number(&d->mrs, m, 0xffffff);
	if (!number)
		return ENOMEM;
	d->registered += m->mr.length;
	// The low bits vary, so that a key of a region that is gone is known as wrong when its number is used again.
	m->mr.lkey = m->mr.rkey = number << 8 | (d->key++ & 0xff);
	m->mr.handle = number;
	SD_OF(sd_pd, m->mr.pd)->o.holders++;
	sd_add(sd_context(m->mr.context), &m->o, SD_MR);
	return 0;
}

static struct ibv_mr *reg(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	struct softdev *d = sd_device(pd->context);
	int r = refused(d, (uintptr_t)addr, length, access);
	struct sd_mr *m = r ? NULL : calloc(1, sizeof *m);

	if (!r && !m)
		r = ENOMEM;
	if (m) {
		m->mr = (struct ibv_mr){.context = pd->context, .pd = pd, .addr = addr, .length = length};
		m->iova = access & IBV_ACCESS_ZERO_BASED ? 0 : iova;
		m->access = access;
		pthread_mutex_lock(&d->lock);
		r = enlist(d, m);
		pthread_mutex_unlock(&d->lock);
	}
	if (!r)
		return &m->mr;
	free(m);
	errno = r;
	return NULL;
}

struct ibv_mr *sd_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	int value;

	if (sd_enter(sd_device(pd->context), SD_reg_mr, &value))
		return NULL;
	return reg(pd, addr, length, (uintptr_t)addr, access);
}

// The same verb to whoever counts, or has it fail. The library's own ibv_reg_mr and ibv_reg_mr_iova call it whenever the compiler does not know the flags.
struct ibv_mr *sd_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	int value;

	if (sd_enter(sd_device(pd->context), SD_reg_mr, &value))
		return NULL;
	// The kernel wants both to be at the same place in a page.
	if (((uintptr_t)addr ^ iova) & 0xfff) {
		errno = EINVAL;
		return NULL;
	}
	return reg(pd, addr, length, iova, access);
}

void sd_end_mr(struct sd_mr *m)
{
	struct softdev *d = sd_device(m->mr.context);

	sd_unnumber(&d->mrs, m->mr.lkey >> 8);
	d->registered -= m->mr.length;
	SD_OF(sd_pd, m->mr.pd)->o.holders--;
	sd_remove(&m->o);
	free(m);
}

int sd_dereg_mr(struct ibv_mr *mr)
{
	struct softdev *d = sd_device(mr->context);
	int value;

	if (sd_enter(d, SD_dereg_mr, &value))
		return value;
	pthread_mutex_lock(&d->lock);
	sd_end_mr(SD_OF(sd_mr, mr));
	pthread_mutex_unlock(&d->lock);
	return 0;
}

// find returns the memory of length bytes at an address of a region. lkey and rkey are the same number.
static void *find(struct ibv_pd *pd, uint32_t key, uint64_t address, uint64_t length, int access, int remote)
{
	static char nowhere; // where nothing is read or written
	struct sd_mr *m;
	uint64_t offset;

	if (!length)
		return &nowhere;
	m = sd_numbered(&sd_device(pd->context)->mrs, key >> 8);
	if (!m || m->mr.lkey != key || m->mr.pd != pd || (m->access & access) != access || (remote && m->invalidated))
		return NULL;
	offset = address - m->iova;
	if (address < m->iova || offset > m->mr.length || length > m->mr.length - offset)
		return NULL;
	return (char *)m->mr.addr + offset;
}

void *sd_local(struct ibv_pd *pd, const struct ibv_sge *sge, int access)
{
	return find(pd, sge->lkey, sge->addr, sge->length, access, 0);
}

void *sd_remote(struct ibv_pd *pd, uint32_t rkey, uint64_t address, uint64_t length, int access)
{
	return find(pd, rkey, address, length, access, 1);
}
