//go:build !asan

package cverbs

const asan = false
