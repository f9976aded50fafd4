package verbs

import (
	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// A Context is an open device. Everything else is made from it, directly or not. All methods may be called by several goroutines at once,
// Close among them.
type Context struct {
	*object
	raw     *ibv.Context
	device  *Device
	vectors int
	async   *asyncReader
	stalls  []string // environment variables by which a provider may have been asked to take its time
}

// open opens a device, of which d is the description.
func open(by func() (*ibv.Context, error), d *Device, attr OpenAttr) (*Context, error) {
	raw, err := by()
	if err != nil {
		return nil, failed(cverbs.VerbOpenDevice, d.name, err)
	}
	h := newHome(d.name, attr.OnLeak)
	async, err := newAsyncReader(h, raw, d.raw != nil)
	if err != nil {
		_ = cverbs.CloseDevice(raw)
		return nil, hinted(failed(cverbs.VerbOpenDevice, d.name, err), "its events cannot be read")
	}
	o := newObject(h, d.name)
	c := &Context{object: o, raw: raw, device: d, vectors: int(raw.NumCompVectors), async: async, stalls: stalls()}
	return track(c, o), nil
}

// core is nil-safe, as all methods are.
func (c *Context) core() *object {
	if c == nil {
		return nil
	}
	return c.object
}

// String returns the device's name.
func (c *Context) String() string { return c.core().String() }

// Device returns the device that was opened.
func (c *Context) Device() *Device {
	if c == nil {
		return nil
	}
	return c.device
}

// Raw returns the C object, for libraries that need it, or nil if the context is closed. It is valid until Close. Its async_fd does not
// block, and is read by this package.
func (c *Context) Raw() *ibv.Context {
	if !c.core().enter() {
		return nil
	}
	defer c.leave(0)
	return c.raw
}

// NumCompVectors returns how many completion vectors there are: see [CQAttr]. It stays valid after Close.
func (c *Context) NumCompVectors() int {
	if c == nil {
		return 0
	}
	return c.vectors
}

// Lost reports whether the device is gone, which IBV_EVENT_DEVICE_FATAL has told. Nothing completes any more then; what is left to do is
// to close everything, which succeeds: a destroy that fails with EIO closes the handle, though nothing can be freed.
func (c *Context) Lost() bool { return c.core() != nil && c.home.lost.Load() }

// Close closes the device (ibv_close_device), after the calls under way. While objects that were made from the context are open it
// fails with EBUSY and names them, or some of many. Loops over AsyncEvents end, with ErrClosed. Closing it again does nothing.
func (c *Context) Close() error {
	if c == nil {
		return nil
	}
	return c.object.close(cverbs.VerbCloseDevice, func() error {
		a := c.async
		a.reader.stop()
		err := cverbs.CloseDevice(c.raw)
		if err != nil && !c.home.gone(err) {
			a.restart()
			return err
		}
		close(a.closed)
		return err
	})
}
