// Package ctest has C functions for the tests of package direct, which has assembly, and so no C.
package ctest
