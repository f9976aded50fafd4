// Package membarrier has the kernel run a fence on all processors that run a thread of this process (membarrier(2),
// MEMBARRIER_CMD_PRIVATE_EXPEDITED, Linux 4.14), so that those who do it often need none of their own: of two sides that each write a word and then
// read the other's, one may do without if the other calls Fence between its write and its read.
package membarrier
