package load

import "strings"

// packageHint names the package that a missing header comes from, if it is known.
func packageHint(header string) string {
	dir, name, ok := strings.Cut(header, "/")
	if !ok {
		dir, name = "", header
	}
	switch {
	case dir == "infiniband":
		return ": install libibverbs-dev"
	case dir == "rdma" && (strings.HasPrefix(name, "rdma_cma") || name == "rdma_verbs.h" || name == "rsocket.h"):
		return ": install librdmacm-dev"
	case dir == "rdma" || dir == "linux" || dir == "asm" || dir == "asm-generic" || dir == "misc":
		return ": install linux-libc-dev"
	case dir == "sys" || dir == "bits" || dir == "arpa" || dir == "net" || dir == "netinet" || dir == "gnu":
		return ": install libc6-dev"
	case dir == "" && libcHeaders[strings.TrimSuffix(name, ".h")]:
		return ": install libc6-dev"
	}
	return ""
}

// libcHeaders are the headers of libc, without the .h, that a header of rdma-core may ask for.
var libcHeaders = map[string]bool{
	"assert": true, "ctype": true, "endian": true, "errno": true, "fcntl": true, "features": true, "inttypes": true,
	"limits": true, "netdb": true, "poll": true, "pthread": true, "sched": true, "signal": true, "stdint": true, "stdio": true,
	"stdlib": true, "string": true, "strings": true, "threads": true, "time": true, "unistd": true,
}
