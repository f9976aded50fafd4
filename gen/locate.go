package gen

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// standard are folders that compilers search by themselves.
var standard = []string{"/usr/include", "/usr/local/include"}

// located turns the path of a header into the name by which it is included and the folder to search for it: a record holds
// no path of a machine, and a compiler that reads its source from a pipe finds nothing beside it.
func (s Source) located() Source {
	h := s.header()
	s.Header = h
	byPath := filepath.IsAbs(h) || strings.HasPrefix(h, "./") || strings.HasPrefix(h, "../")
	if !byPath {
		for _, dir := range slices.Concat(s.Include, standard) {
			if isFile(filepath.Join(dir, h)) {
				return s
			}
		}
	}
	if !isFile(h) {
		return s
	}
	abs, err := filepath.Abs(h)
	if err != nil {
		return s
	}
	root, name := filepath.Split(abs)
	root = filepath.Clean(root)
	// Headers of the family are included through their folder.
	if family := filepath.Base(root); family == "infiniband" || family == "rdma" {
		root, name = filepath.Dir(root), family+"/"+name
	}
	s.Header, s.Include = name, append([]string{root}, s.Include...)
	return s
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
