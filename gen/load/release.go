package load

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/goverbs/ibv/gen/model"
)

// versionCode matches the version of the kernel that its headers belong to.
var versionCode = regexp.MustCompile(`(?m)^#define LINUX_VERSION_CODE (\d+)$`)

// kernel is the version of the kernel's headers in the folders, if they tell.
func (in *input) kernel() string {
	for _, dir := range in.dirs {
		text, err := in.files.bytes(filepath.Join(dir, "linux", "version.h"))
		if err != nil {
			continue
		}
		if m := versionCode.FindSubmatch(text); m != nil {
			code, _ := strconv.ParseUint(string(m[1]), 10, 32)
			return fmt.Sprintf("%d.%d.%d", code>>16, code>>8&0xff, code&0xff)
		}
	}
	return ""
}

// release adds what stands beside the header and not in it: the release, and the symbol versions of its functions.
func (in *input) release(release string, m *model.Model) error {
	m.Release, m.Kernel = release, in.kernel()
	libs := in.libFolders()
	if level, rel, ok := packageVersion(libs); ok {
		if release == "" || release == rel {
			m.Release, m.Level = rel, level
		}
	}
	versions := map[string]string{}
	for _, so := range sharedObjects(m.Header) {
		for _, dir := range libs {
			path := filepath.Join(dir, so)
			if _, err := os.Stat(path); err != nil {
				continue
			}
			if err := symbolVersions(path, versions); err != nil {
				return err
			}
			break
		}
	}
	for i := range m.Funcs {
		if m.Funcs[i].Kind == model.Exported {
			m.Funcs[i].Version = versions[m.Funcs[i].Name]
		}
	}
	return nil
}

// libFolders are where the libraries of the header's installation are: beside the include folder.
func (in *input) libFolders() []string {
	include, ok := strings.CutSuffix(in.path, "/"+in.header)
	if !ok {
		return nil
	}
	root := filepath.Dir(include)
	dirs, _ := filepath.Glob(filepath.Join(root, "lib", "*-linux-gnu*"))
	return append(dirs, filepath.Join(root, "lib64"), filepath.Join(root, "lib"))
}

// version matches "Version: 1.14.44.0" in a .pc file: the level, then the release.
var version = regexp.MustCompile(`(?m)^Version:\s*(\d+\.\d+)\.(\d+\.\d+)\s*$`)

// packageVersion reads libibverbs.pc.
func packageVersion(libs []string) (level, release string, ok bool) {
	for _, dir := range libs {
		b, err := os.ReadFile(filepath.Join(dir, "pkgconfig", "libibverbs.pc"))
		if err != nil {
			continue
		}
		if m := version.FindSubmatch(b); m != nil {
			return string(m[1]), string(m[2]), true
		}
	}
	return "", "", false
}
