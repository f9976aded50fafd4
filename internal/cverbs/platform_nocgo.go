//go:build linux && !cgo

package cverbs

// notHere says why no verb works in this program.
const notHere = "this program was built without cgo: it needs a C compiler, rdma-core's headers (libibverbs-dev) and CGO_ENABLED=1"
