//go:build !amd64 || race

package release

import "sync/atomic"

// Store64 stores v. Whoever else writes to p meanwhile may be undone.
func Store64(p *atomic.Uint64, v uint64) { p.Store(v) }

// Store32 stores v. Whoever else writes to p meanwhile may be undone.
func Store32(p *atomic.Uint32, v uint32) { p.Store(v) }
