// Package beside times loops in C, as a program in C would write them, and the same in Go beside them: what does the binding add? Only
// tests import it.
package beside
