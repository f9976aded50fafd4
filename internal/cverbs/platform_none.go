//go:build !linux

package cverbs

// notHere says why no verb works in this program.
const notHere = "not on linux with glibc, where alone libibverbs is"
