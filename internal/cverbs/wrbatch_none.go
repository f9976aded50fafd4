//go:build !linux || !cgo

package cverbs

// Call would post requests. Here no verb can be called.
func (b *WRBatch) Call() int32 { return noSymbol }
