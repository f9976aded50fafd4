// Package release has stores that come after all that was done before, as seen by whoever loads what was stored. Go's atomic ones promise more
// than that, which costs as much as a lock on amd64.
//
// The compiler also keeps an atomic load that comes after such a store behind it. The processor does not: where that matters, whoever is on the other side calls
// membarrier.Fence.
package release
