// Command empty is the smallest program with cgo, to compare sizes with.
package main

import "C"

func main() {}
