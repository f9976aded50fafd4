// Completion queues that never run dry, and whose completions are numbered, so that one that is lost, doubled or torn shows.

#ifndef BESIDE_NUMBERED_H
#define BESIDE_NUMBERED_H

#include <stdint.h>

struct ibv_context;
struct ibv_cq_ex;

// beside_number makes polls of all queues of a context return as many completions as they like, none at times, numbered from 0 on. All fields of
// one are made of its number, which is its id: beside_hash of that is what the others are parts of. One thread at a time may poll, one queue. The
// context stays so, and only one of the process can be so at a time. How many a poll returns follows from the seed.
void beside_number(struct ibv_context *context, uint64_t seed);

// beside_number_ex does the same to an extended queue, and to that alone.
void beside_number_ex(struct ibv_cq_ex *cq, uint64_t seed);

// beside_numbers_end makes polls from now on return nothing. Any thread may call it.
void beside_numbers_end(void);

// beside_numbers returns how many completions there were; nobody polls.
uint64_t beside_numbers(void);

#endif
