package load

import (
	"path/filepath"
	"slices"
	"strings"
)

// An owner tells the header's own items from those of the kernel and of libc.
type owner struct {
	path   string // of the header
	folder string // of the header, if all of it belongs to the header; else empty
}

// rdmaOwn are the headers of rdma-core in a folder named rdma; the others there are the kernel's.
var rdmaOwn = []string{"rdma_cma.h", "rdma_verbs.h", "rdma_cma_abi.h", "rsocket.h"}

func newOwner(path string, system []string) owner {
	o := owner{path: path, folder: filepath.Dir(path)}
	if slices.Contains(system, o.folder) { // /usr/include: its other files are anybody's
		o.folder = ""
	}
	return o
}

// owns reports whether items declared in file belong to the header.
func (o owner) owns(file string) bool {
	if file == o.path {
		return true
	}
	dir, name := filepath.Split(file)
	dir = strings.TrimSuffix(dir, "/")
	switch filepath.Base(dir) {
	case "infiniband":
		return true
	case "rdma":
		return slices.Contains(rdmaOwn, name)
	}
	return o.folder != "" && dir == o.folder
}
