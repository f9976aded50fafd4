// How fast the machine is at the moment.

#ifndef BESIDE_PACE_H
#define BESIDE_PACE_H

#include <stdint.h>

// beside_pace returns the nanoseconds that a loop takes which has something to do for all of a core's units that add. It is the same
// loop each time, so that it takes longer if the core is shared with another thread of its, or runs slower.
int64_t beside_pace(void);

#endif
