//go:build linux && cgo

#include "core.h"

// The GID table, as a kernel makes it for an Ethernet port with a MAC address, 02:00:0a:09:00:01, and an IPv4 address, 10.9.0.1:
// each address once for RoCE v1 and once for v2.
static const struct {
	uint8_t raw[16];
	enum ibv_gid_type type;
} gids[] = {
	{{0xfe, 0x80, [10] = 0x0a, 0xff, 0xfe, 0x09, 0x00, 0x01}, IBV_GID_TYPE_ROCE_V1},
	{{0xfe, 0x80, [10] = 0x0a, 0xff, 0xfe, 0x09, 0x00, 0x01}, IBV_GID_TYPE_ROCE_V2},
	{{[10] = 0xff, 0xff, 10, 9, 0, 1}, IBV_GID_TYPE_ROCE_V1},
	{{[10] = 0xff, 0xff, 10, 9, 0, 1}, IBV_GID_TYPE_ROCE_V2},
};
#define USED (sizeof gids / sizeof gids[0])

int sd_gid(int index, union ibv_gid *gid)
{
	memset(gid, 0, sizeof *gid);
	if (index < 0 || (size_t)index >= USED)
		return -1;
	memcpy(gid->raw, gids[index].raw, sizeof gid->raw);
	return gids[index].type;
}

static struct ibv_gid_entry entry_of(int index)
{
	struct ibv_gid_entry e = {.gid_index = index, .port_num = 1};

	e.gid_type = sd_gid(index, &e.gid);
	return e;
}

// An unused entry reads as zeros, as sysfs has it.
int sd_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	int value;

	if (sd_enter(sd_device(context), SD_query_gid, &value))
		return value;
	if (port != 1 || index < 0 || index >= SD_GIDS) {
		errno = EINVAL;
		return -1;
	}
	sd_gid(index, gid);
	return 0;
}

// Sizes are those of the caller's header, ibv_query_gid_ex(3): a shorter entry gets the front of ours, the rest of a longer one is zero.
static void put(void *to, const struct ibv_gid_entry *e, size_t size)
{
	memset(to, 0, size);
	memcpy(to, e, size < sizeof *e ? size : sizeof *e);
}

int sd_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry, uint32_t flags, size_t size)
{
	struct ibv_gid_entry e;
	int value;

	if (sd_enter(sd_device(context), SD_query_gid_ex, &value))
		return value;
	if (flags || port != 1 || index >= SD_GIDS)
		return EINVAL;
	if (index >= USED)
		return ENODATA;
	e = entry_of(index);
	put(entry, &e, size);
	return 0;
}

// ibv_query_gid_table(3): a count, or a negative errno value; EINVAL if there is no room for all.
ssize_t sd_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max, uint32_t flags, size_t size)
{
	struct ibv_gid_entry e;
	size_t i;
	int value;

	if (sd_enter(sd_device(context), SD_query_gid_table, &value))
		return value;
	if (flags || max < USED)
		return -EINVAL;
	for (i = 0; i < USED; i++) {
		e = entry_of(i);
		put((char *)entries + i * size, &e, size);
	}
	return USED;
}
