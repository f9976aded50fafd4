package load

import (
	"debug/elf"
	"errors"
	"os"
	"strings"
)

// maxLibrary bounds the shared object that is read; real ones are below 1 MB.
const maxLibrary = 64 << 20

// sharedObjects are the libraries that define a header's functions. Those of verbs.h come with each.
func sharedObjects(header string) []string {
	switch header {
	case "infiniband/verbs.h":
		return []string{"libibverbs.so.1"}
	case "rdma/rdma_cma.h", "rdma/rdma_verbs.h", "rdma/rsocket.h":
		return []string{"libibverbs.so.1", "librdmacm.so.1"}
	case "infiniband/mlx5dv.h":
		return []string{"libibverbs.so.1", "libmlx5.so.1"}
	case "infiniband/mlx4dv.h":
		return []string{"libibverbs.so.1", "libmlx4.so.1"}
	case "infiniband/efadv.h":
		return []string{"libibverbs.so.1", "libefa.so.1"}
	}
	return nil
}

// symbolVersions adds the default public version of each function that the library at path defines.
func symbolVersions(path string, versions map[string]string) error {
	bad := func(err error) error {
		return &Error{Pos: path, Msg: "its symbol versions cannot be read: " + oneLine(err.Error()), Err: err}
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxLibrary {
		return bad(errors.Join(errors.New("missing or too large"), err))
	}
	f, err := elf.Open(path)
	if err != nil {
		return bad(err)
	}
	defer f.Close()
	syms, err := f.DynamicSymbols()
	if err != nil {
		return bad(err)
	}
	for _, s := range syms {
		defined := s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC
		if !defined || !s.HasVersion || s.VersionIndex.IsHidden() || strings.Contains(s.Version, "PRIVATE") {
			continue
		}
		versions[s.Name] = s.Version
	}
	return nil
}
