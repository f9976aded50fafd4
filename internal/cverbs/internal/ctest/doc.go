// Package ctest does in C what tests of cverbs cannot do in Go, since tests cannot use cgo themselves. Nothing else imports it.
package ctest
