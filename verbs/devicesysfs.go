package verbs

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// NUMANode returns the number of the NUMA node that the device is attached to, and whether that is known.
func (d *Device) NUMANode() (int, bool) {
	s, err := d.read("device/numa_node")
	if err != nil {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return max(n, 0), err == nil && n >= 0
}

// PCIAddress returns the device's PCI address, as in 0000:3b:00.0; empty if it is not a PCI device.
func (d *Device) PCIAddress() string {
	if d == nil || d.sysfs == "" {
		return ""
	}
	bus, err := filepath.EvalSymlinks(filepath.Join(d.sysfs, "device/subsystem"))
	if err != nil || filepath.Base(bus) != "pci" {
		return ""
	}
	path, err := filepath.EvalSymlinks(filepath.Join(d.sysfs, "device"))
	if err != nil {
		return ""
	}
	return filepath.Base(path)
}

// NetInterfaces returns the names of the network interfaces that belong to the device or its GIDs, sorted; none for an adopted device,
// and for interfaces of other network namespaces.
func (d *Device) NetInterfaces() []string {
	if d == nil || d.sysfs == "" {
		return nil
	}
	var names []string
	entries, _ := os.ReadDir(filepath.Join(d.sysfs, "device/net"))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	// Soft devices have no parent; their GIDs tell. Unused entries cannot be read.
	files, _ := filepath.Glob(filepath.Join(d.sysfs, "ports/*/gid_attrs/ndevs/*"))
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil {
			names = append(names, strings.TrimSpace(string(b)))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// read reads a file of the device's folder in sysfs.
func (d *Device) read(name string) (string, error) {
	if d == nil || d.sysfs == "" {
		return "", os.ErrNotExist
	}
	b, err := os.ReadFile(filepath.Join(d.sysfs, name))
	return strings.TrimSpace(string(b)), err
}
