// Work queues. C files of this folder only.

#ifndef SOFTDEV_WQ_H
#define SOFTDEV_WQ_H

#include "core.h"

// wq.c. sd_wq_flags returns 0, EINVAL for bits that are no flags, or EOPNOTSUPP for what this device cannot do.
int sd_wq_flags(const struct softdev *d, uint32_t flags);

// wq_post.c: for a device without the verb. The header calls it without a look.
int sd_no_post_wq_recv(struct ibv_wq *wq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);

#endif
