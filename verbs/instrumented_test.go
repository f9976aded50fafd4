//go:build linux && cgo && (race || asan || msan)

package verbs

// Instruments allocate, and take time.
const instrumented = true
