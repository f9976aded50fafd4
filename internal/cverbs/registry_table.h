// The registry's hash table. Only registry.c uses it. All but ibvgo_table_find belong to the one thread that holds its lock.

#ifndef IBVGO_REGISTRY_TABLE_H
#define IBVGO_REGISTRY_TABLE_H

#include "loader.h"

// ibvgo_table_find tells whether object, which is not NULL, is there, and stores its operations unless ops is NULL. Any thread may
// call it beside a change: an object that was added before, and is not removed meanwhile, is found.
int ibvgo_table_find(const void *object, const ibvgo_fn_t **ops);

// ibvgo_table_room makes room for one object beside the live ones. It returns 0 if there is no memory.
int ibvgo_table_room(size_t live);

// ibvgo_table_add adds an object that is not there, after ibvgo_table_room.
void ibvgo_table_add(const void *object, const ibvgo_fn_t *ops);

// ibvgo_table_remove returns whether object was there.
int ibvgo_table_remove(const void *object);

#endif
