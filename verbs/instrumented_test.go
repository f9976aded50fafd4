//go:build race || asan || msan

package verbs

// Instruments allocate, and take time.
const instrumented = true
