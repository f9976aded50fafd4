//go:build asan

package cverbs

// With the address sanitizer, arguments on the stack are moved to the heap.
const asan = true
