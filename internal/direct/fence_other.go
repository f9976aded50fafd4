//go:build !linux

package direct

func fence() {}
