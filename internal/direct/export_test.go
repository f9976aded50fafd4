package direct

// Busy reports whether the owner is in.
func (g *Gate) Busy() bool { return g.busy.Load() != 0 }
