package verbstest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"

	"github.com/goverbs/ibv/internal/softdev"
	"github.com/goverbs/ibv/verbs"
)

// A Device is a software device. Any goroutine may call its methods at any time. After Close they do nothing, and return errors, zeros
// and nil, as they do of a nil or zero Device; so do those that take an object if that is nil, closed, or of another device.
type Device struct {
	soft  *softdev.Device
	verbs *verbs.Device

	mu    sync.Mutex
	leaks []verbs.Leak
}

// Open makes a device, which Close frees. It is not among verbs.Devices.
func Open(c Config) (*Device, error) {
	soft, err := softdev.New(softdev.Config(c))
	if err != nil {
		return nil, fmt.Errorf("verbstest: %w", err)
	}
	return &Device{soft: soft, verbs: verbs.AdoptDevice(soft.Raw(), "verbstest", soft.Open)}, nil
}

// device is nil-safe, as all methods are.
func (d *Device) device() *softdev.Device {
	if d == nil {
		return nil
	}
	return d.soft
}

// Device is the device as package verbs sees it. After Close, opening it is an error that matches ENODEV, and what its Raw has given is gone.
func (d *Device) Device() *verbs.Device {
	if d == nil {
		return nil
	}
	return d.verbs
}

// Open opens a context, in which lost handles are noted: see Leaks.
func (d *Device) Open() (*verbs.Context, error) {
	return d.Device().OpenWith(verbs.OpenAttr{OnLeak: d.leak})
}

func (d *Device) leak(l verbs.Leak) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leaks = append(d.leaks, l)
}

// Leaks lists the objects of contexts that Open has opened whose handles the garbage collector found lost before they were closed.
func (d *Device) Leaks() []verbs.Leak {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.leaks)
}

// Close frees the device. While contexts are open it frees nothing, and returns an error that matches EBUSY, counts what is left, and
// names the leaks that were found, and where they were made. A second Close is an error that matches os.ErrClosed.
func (d *Device) Close() error {
	err := d.device().Close()
	if err == nil {
		return nil
	}
	report := ""
	if errors.Is(err, syscall.EBUSY) {
		report = d.leakReport()
	}
	return fmt.Errorf("verbstest: close %s: %w%s", d.Device().Name(), err, report)
}

// Objects returns how many objects of each kind there are.
func (d *Device) Objects() Objects { return Objects(d.device().Objects()) }

// Orphans returns how many objects closing a context has had to end so far, because the program had not.
func (d *Device) Orphans() Objects { return Objects(d.device().Orphans()) }
