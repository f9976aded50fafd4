package verbs

import (
	"bytes"
	"strings"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A Device is an RDMA device, or was one when it was listed: it holds nothing of the library's, needs not be closed, and may have gone.
// All methods may be called by several goroutines at once.
type Device struct {
	name      string
	guid      ibv.Be64
	nodeType  ibv.NodeType
	transport ibv.TransportType
	sysfs     string                       // its folder in sysfs; empty if it has none
	raw       *ibv.Device                  // of another provider; else nil
	owner     string                       // of raw
	open      func() (*ibv.Context, error) // raw, by its owner
}

// Devices lists the RDMA devices of this machine (ibv_get_device_list). A machine without any has an empty list, which is no error; one
// without the library fails with [ErrNoLibrary].
func Devices() ([]*Device, error) {
	list, free, err := cverbs.Devices()
	if err != nil {
		return nil, failed(cverbs.VerbGetDeviceList, "", err)
	}
	defer free()
	r := make([]*Device, 0, len(list))
	for _, raw := range list {
		r = append(r, describe(raw))
	}
	return r, nil
}

// describe copies what is to be known of a device.
func describe(raw *ibv.Device) *Device {
	return &Device{
		name:      text(raw.Name[:]),
		guid:      cverbs.GetDeviceGUID(raw),
		nodeType:  raw.NodeType,
		transport: raw.TransportType,
		sysfs:     text(raw.IbdevPath[:]),
	}
}

// text is what comes before the zero byte.
func text(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}

// OpenDevice opens the device with a name, such as mlx5_0, as [Device.Open] does. If there is none, the error matches ENODEV and lists
// those that there are.
func OpenDevice(name string) (*Context, error) { return (&Device{name: name}).Open() }

// AdoptDevice makes a Device of one that does not come from the library, but from another provider in this process, which the caller
// names. It has to stay where it is until all contexts opened from it are closed.
//
// open opens it for Open and OpenWith, in place of ibv_open_device, and is what keeps a device that may go from being used after it has: its
// error is theirs then, ENODEV. If open is nil, ibv_open_device is called, and the device has to stay for good.
func AdoptDevice(raw *ibv.Device, owner string, open func() (*ibv.Context, error)) *Device {
	if raw == nil {
		return &Device{owner: owner}
	}
	if open == nil {
		open = func() (*ibv.Context, error) { return cverbs.OpenDevice(raw) }
	}
	d := describe(raw)
	d.raw, d.owner, d.open, d.sysfs = raw, owner, open, ""
	return d
}

// Name returns the device's name: mlx5_0.
func (d *Device) Name() string {
	if d == nil {
		return ""
	}
	return d.name
}

// String returns the device's name, and its owner if it was adopted.
func (d *Device) String() string {
	switch {
	case d == nil:
		return "nil"
	case d.owner != "":
		return d.name + " of " + d.owner
	}
	return d.name
}

// GUID returns the GUID of the device's node, in network byte order; 0 if it was not to be found out.
func (d *Device) GUID() ibv.Be64 {
	if d == nil {
		return 0
	}
	return d.guid
}

// NodeType tells what the device is in its fabric.
func (d *Device) NodeType() ibv.NodeType {
	if d == nil {
		return ibv.IBV_NODE_UNKNOWN
	}
	return d.nodeType
}

// TransportType tells the device's transport protocol; RoCE counts as InfiniBand.
func (d *Device) TransportType() ibv.TransportType {
	if d == nil {
		return ibv.IBV_TRANSPORT_UNKNOWN
	}
	return d.transport
}

// Raw returns the C object of an adopted device, nil for others.
func (d *Device) Raw() *ibv.Device {
	if d == nil {
		return nil
	}
	return d.raw
}

// OpenAttr says how a device is opened. The zero value is what [Device.Open] uses.
type OpenAttr struct {
	// OnLeak, if not nil, is called for each object of the context whose handle is collected before it is closed, with the stack that made
	// it, which costs some microseconds for each object. It is called on a goroutine of the runtime's, one leak at a time, and must
	// return soon.
	OnLeak func(Leak)
}

// Open opens the device (ibv_open_device). One that has gone since it was listed is an error matching ENODEV.
func (d *Device) Open() (*Context, error) { return d.OpenWith(OpenAttr{}) }

// OpenWith is Open with attributes.
func (d *Device) OpenWith(attr OpenAttr) (*Context, error) {
	const verb = cverbs.VerbOpenDevice
	switch {
	case d == nil, d.raw == nil && d.owner != "":
		return nil, refused(verb, d.String(), syscall.EINVAL, "no device")
	case d.raw != nil:
		return open(d.open, d, attr)
	}
	list, free, err := cverbs.Devices()
	if err != nil {
		return nil, failed(verb, d.name, err)
	}
	defer free()
	var names []string
	for _, raw := range list {
		if name := text(raw.Name[:]); name != d.name {
			names = append(names, name)
			continue
		}
		return open(func() (*ibv.Context, error) { return cverbs.OpenDevice(raw) }, describe(raw), attr)
	}
	hint := "there are no devices"
	if names != nil {
		hint = "there are " + strings.Join(names, ", ")
	}
	return nil, refused(verb, d.name, syscall.ENODEV, hint)
}
