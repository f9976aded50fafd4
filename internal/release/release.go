// Package release has stores that come after all that was done before, as seen by whoever loads what was stored. Go's atomic ones promise more
// than that, which costs as much as a lock on amd64.
package release
