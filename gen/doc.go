// Package gen makes the Go declarations of a C header of the rdma-core family, and compares such headers. It puts together the steps
// in the packages below it: load and probe read a header, records and record hold what earlier releases declared, plan and
// emit write Go, diff compares.
package gen
