//go:build linux && cgo

#include "core.h"

void sd_acked(pthread_mutex_t *mutex, pthread_cond_t *cond, const uint32_t *completed, uint32_t taken)
{
	// ibv_get_async_event(3): an object's destruction waits for the acknowledgement of its events.
	pthread_mutex_lock(mutex);
	while (*completed != taken)
		pthread_cond_wait(cond, mutex);
	pthread_mutex_unlock(mutex);
}
