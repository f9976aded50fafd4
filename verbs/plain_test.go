//go:build !race && !asan && !msan

package verbs

const instrumented = false
