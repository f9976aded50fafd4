// Verbsgen writes Go declarations for rdma-core's C headers from ABI records, and compares headers with what was built in.
// 'verbsgen help' says more.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, os.LookupEnv))
}
