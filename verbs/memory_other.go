//go:build !unix

package verbs

// mapMemory fails: no verb can be called here.
func mapMemory(size int) ([]byte, error) { return nil, ErrNotSupported }

// unmapMemory has nothing to give back.
func unmapMemory(b []byte) error { return ErrNotSupported }
