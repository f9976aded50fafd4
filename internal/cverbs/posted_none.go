//go:build !linux || !cgo

package cverbs

// Call would post sends. Here no verb can be called.
func (p *SendPost) Call() int32 { return noSymbol }

// Call would post receives. Here no verb can be called.
func (p *RecvPost) Call() int32 { return noSymbol }
