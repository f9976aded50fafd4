//go:build linux && cgo

#include "core.h"

int sd_parts(struct ibv_pd *pd, const struct ibv_sge *sges, uint64_t length, int access, struct sd_part *parts)
{
	// Only what is used of an element has to be in bounds: memory behind it is not touched.
	for (; length; sges++) {
		struct ibv_sge used = *sges;

		if (!used.length)
			continue;
		if (used.length > length)
			used.length = (uint32_t)length;
		parts->at = sd_local(pd, &used, access);
		if (!parts->at)
			return -1;
		parts->length = used.length;
		length -= used.length;
		parts++;
	}
	return 0;
}

void sd_copy(const struct sd_part *to, const struct sd_part *from, uint64_t length)
{
	uint64_t t = 0, f = 0;

	// The buffers of a request to oneself may overlap. Hardware promises nothing then; here each stretch is moved as a whole.
	while (length) {
		uint64_t n = length;

		if (n > to->length - t)
			n = to->length - t;
		if (n > from->length - f)
			n = from->length - f;
		memmove(to->at + t, from->at + f, n);
		length -= n;
		t += n;
		f += n;
		if (t == to->length) {
			to++;
			t = 0;
		}
		if (f == from->length) {
			from++;
			f = 0;
		}
	}
}
