//go:build linux && cgo && !asan

package cverbs

const asan = false
