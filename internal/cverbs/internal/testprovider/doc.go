// Package testprovider has C functions for tests of cverbs to call into: ones that note how they were called, and a small provider
// of contexts, domains and queues. Nothing but tests imports it. No two goroutines may use it at a time.
package testprovider
