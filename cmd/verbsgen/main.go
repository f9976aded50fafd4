// Verbsgen writes Go declarations for rdma-core's C headers from ABI records, and compares headers with what was built in.
// 'verbsgen help' says more.
package main

import (
	"os"
	"runtime/debug"
)

func main() {
	// A run is short and what it reads stays in use: collecting less often is a fifth faster.
	debug.SetGCPercent(400)
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, os.LookupEnv))
}
