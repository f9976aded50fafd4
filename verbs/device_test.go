//go:build linux && cgo

package verbs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
	"github.com/goverbs/ibv/internal/softdev"
)

// On a machine without the library there is ErrNoLibrary; with it, a device that is not there is ENODEV.
func TestOpenUnknownDevice(t *testing.T) {
	list, err := Devices()
	if cverbs.Load() != nil {
		var e *Error
		if !errors.Is(err, ErrNoLibrary) || !errors.As(err, &e) || e.Verb != "ibv_get_device_list" {
			t.Error(err)
		}
		if _, err := OpenDevice("nosuch0"); !errors.Is(err, ErrNoLibrary) || !errors.As(err, &e) || e.Verb != "ibv_open_device" || e.Object != "nosuch0" {
			t.Error(err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	hint := "there are no devices"
	if len(list) > 0 {
		hint = list[0].Name()
	}
	_, err = OpenDevice("nosuch0")
	wantError(t, err, "ibv_open_device", "nosuch0", syscall.ENODEV, hint)
}

func TestAdoptedDevice(t *testing.T) {
	d, err := softdev.New(softdev.Config{Name: "sd7"})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	dev := AdoptDevice(d.Raw(), "my provider", nil)
	if dev.Name() != "sd7" || dev.String() != "sd7 of my provider" || dev.Raw() != d.Raw() || dev.GUID() == 0 || dev.GUID() != cverbs.GetDeviceGUID(d.Raw()) ||
		dev.NodeType() != d.Raw().NodeType || dev.TransportType() != d.Raw().TransportType {
		t.Errorf("%+v", dev)
	}
	if n, ok := dev.NUMANode(); ok || n != 0 || dev.PCIAddress() != "" || dev.NetInterfaces() != nil {
		t.Error("an adopted device has nothing in sysfs")
	}
	c := must(dev.Open())
	if c.Device() != dev || c.Raw() == nil || c.NumCompVectors() != int(c.Raw().NumCompVectors) || c.String() != "sd7" {
		t.Errorf("%v", c)
	}
	if err := c.Close(); err != nil || c.Raw() != nil {
		t.Error(err)
	}
	for _, errno := range []syscall.Errno{syscall.ENODEV, 0} {
		d.Fail("open_device", softdev.Fault{Errno: errno, NoErrno: errno == 0})
		_, err := dev.Open()
		wantError(t, err, "ibv_open_device", "sd7", errno)
	}
	if n := d.Objects(); n.Total() != 0 {
		t.Error(n)
	}
	c = must(AdoptDevice(d.Raw(), "opener", d.Open).Open())
	ok(t, c.Close())
	owned := AdoptDevice(d.Raw(), "opener", func() (*ibv.Context, error) { return nil, syscall.ENODEV })
	_, err = owned.Open()
	wantError(t, err, "ibv_open_device", "sd7", syscall.ENODEV)
	_, err = AdoptDevice(nil, "nobody", d.Open).Open()
	wantError(t, err, "ibv_open_device", " of nobody", syscall.EINVAL)
	_, err = AdoptDevice(nil, "nobody", nil).Open()
	wantError(t, err, "ibv_open_device", " of nobody", syscall.EINVAL)
}

// What sysfs tells of a device, with a folder made up for it.
func TestDeviceInSysfs(t *testing.T) {
	root := t.TempDir()
	path := func(name string) string { return filepath.Join(root, name) }
	file := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(path(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, name string) {
		if err := os.Symlink(to, path(name)); err != nil {
			t.Fatal(err)
		}
	}
	file("pci/0000:3b:00.1/numa_node", "1\n")
	file("pci/0000:3b:00.1/net/ens3f1/address", "x")
	file("bus/pci/x", "")
	link(path("bus/pci"), "pci/0000:3b:00.1/subsystem")
	file("mlx5_1/ports/1/gid_attrs/ndevs/0", "ens3f1\n")
	file("mlx5_1/ports/1/gid_attrs/ndevs/1", "vlan5\n")
	link(path("pci/0000:3b:00.1"), "mlx5_1/device")
	d := &Device{name: "mlx5_1", sysfs: path("mlx5_1")}
	if n, ok := d.NUMANode(); n != 1 || !ok {
		t.Error(n, ok)
	}
	if a := d.PCIAddress(); a != "0000:3b:00.1" {
		t.Error(a)
	}
	if n := d.NetInterfaces(); !slices.Equal(n, []string{"ens3f1", "vlan5"}) {
		t.Error(n)
	}
	file("pci/0000:3b:00.1/numa_node", "-1\n")
	if n, ok := d.NUMANode(); n != 0 || ok {
		t.Error(n, ok)
	}
	soft := &Device{name: "rxe0", sysfs: path("rxe0")}
	file("rxe0/ports/1/gid_attrs/ndevs/0", "eth0\n")
	if _, ok := soft.NUMANode(); ok || soft.PCIAddress() != "" || !slices.Equal(soft.NetInterfaces(), []string{"eth0"}) {
		t.Error("a device without hardware")
	}
}

// A context whose events cannot be read is closed again.
func TestOpenWithoutDescriptors(t *testing.T) {
	d, err := softdev.New(softdev.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	_ = must(os.Open("/dev/null")).Close() // Go's poller has its descriptors
	next := must(syscall.Dup(0))
	syscall.Close(next)
	// Room for the context's own descriptor, and none for its duplicate.
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: uint64(next) + 1, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	_, err = AdoptDevice(d.Raw(), "test", nil).Open()
	if e := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old); e != nil {
		t.Fatal(e)
	}
	wantError(t, err, "ibv_open_device", "softdev0", syscall.EMFILE)
	if n := d.Objects(); n.Total() != 0 {
		t.Error(n)
	}
}
