package verbs

import (
	"bytes"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/goverbs/ibv/internal/cverbs"
)

// An object is what all handles have in common: a name, the objects that it needs, those that need it, and its way to be closed. A
// handle points to its object, and no object to a handle, so that a handle that nobody has any more is noticed.
type object struct {
	guard
	name    string    // "cq 3 on mlx5_0"
	parents []*object // open as long as this is
	home    *home

	mu       sync.Mutex
	children map[*object]struct{} // those that are open; under mu
	leaked   bool                 // the handle is gone, and nobody has closed it; under mu
	stack    []byte               // where it was made, if leaks are reported
	cleanup  runtime.Cleanup
}

// A home is what the objects of a context have in common.
type home struct {
	device string // the device's name
	onLeak func(Leak)
	lost   atomic.Bool   // IBV_EVENT_DEVICE_FATAL has come
	fatal  chan struct{} // closed when it comes

	mu    sync.Mutex           // the following
	named map[string]int       // how many objects of a kind have got a name
	rings map[*func()]struct{} // what wakes those that wait in other ways than by fatal
}

func newHome(device string, onLeak func(Leak)) *home {
	return &home{device: device, onLeak: onLeak, fatal: make(chan struct{}), named: make(map[string]int), rings: make(map[*func()]struct{})}
}

// name makes the name of the context's next object of a kind: "cq 3 on mlx5_0".
func (h *home) name(kind string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.named[kind]++
	return fmt.Sprintf("%s %d on %s", kind, h.named[kind], h.device)
}

// lose notes that the device is gone.
func (h *home) lose() {
	if h.lost.Swap(true) {
		return
	}
	close(h.fatal)
	h.mu.Lock()
	wakes := slices.Collect(maps.Keys(h.rings))
	h.mu.Unlock()
	for _, wake := range wakes {
		(*wake)()
	}
}

// whenLost has f called when the device is lost, until the function that it returns is called. A call may be under way then.
func (h *home) whenLost(f func()) (forget func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rings[&f] = struct{}{}
	return func() {
		h.mu.Lock()
		delete(h.rings, &f)
		h.mu.Unlock()
	}
}

// gone reports whether a verb failed since the device is gone. If it was to destroy something there is nothing left to be destroyed.
func (h *home) gone(err error) bool { return errnoOf(err) == syscall.EIO && h.lost.Load() }

// hintLost is the hint of what fails since the device is gone.
const hintLost = "the device is lost"

// failed makes the error of a verb that has failed on an object of the context with err; nil if err is nil.
func (h *home) failed(v cverbs.Verb, object string, err error) error {
	if err = failed(v, object, err); err != nil && h.gone(err) {
		return hinted(err, hintLost)
	}
	return err
}

// failed makes the error of a verb that has failed on o with err; nil if err is nil.
func (o *object) failed(v cverbs.Verb, err error) error { return o.home.failed(v, o.name, err) }

// A Leak is an object whose handle was lost before it was closed. The object stays, and keeps the objects that it needs from closing:
// nothing can tell that hardware does not use it any more.
type Leak struct {
	// The object: "cq 3 on mlx5_0".
	Object string
	// Where it was made: a stack as debug.Stack prints it, from the call on that has made it.
	Stack []byte
}

// newObject makes the object of a handle that has just been created. The caller has entered the parents, and gives the object to its
// handle by track.
func newObject(h *home, name string, parents ...*object) *object {
	o := &object{name: name, parents: parents, home: h}
	o.init()
	for _, p := range parents {
		p.mu.Lock()
		if p.children == nil {
			p.children = make(map[*object]struct{})
		}
		p.children[o] = struct{}{}
		p.mu.Unlock()
	}
	return o
}

// track has o notice when its handle is lost, and returns the handle.
func track[H any](handle *H, o *object) *H {
	if o.home.onLeak != nil {
		o.stack = callers(debug.Stack())
	}
	o.cleanup = runtime.AddCleanup(handle, (*object).lose, o)
	return handle
}

// callers drops the frames from a stack that are above track's caller: two lines each, below one that names the goroutine.
func callers(stack []byte) []byte {
	lines := bytes.SplitAfter(stack, []byte("\n"))
	for i := 1; i+2 < len(lines); i += 2 {
		if bytes.HasPrefix(lines[i], []byte("github.com/goverbs/ibv/verbs.track")) {
			return bytes.Join(append(lines[:1], lines[i+2:]...), nil)
		}
	}
	return stack
}

// lose notes that the handle is gone.
func (o *object) lose() {
	o.mu.Lock()
	o.leaked = true
	o.mu.Unlock()
	if f := o.home.onLeak; f != nil {
		f(Leak{o.name, o.stack})
	}
}

// enter begins a call on o; a nil object is a closed one.
func (o *object) enter() bool { return o != nil && o.guard.enter() }

// String is the object's name.
func (o *object) String() string {
	if o == nil {
		return "nil"
	}
	return o.name
}

// begin enters all objects that a call needs, which may be the same ones several times, or none. The caller has to end them. While it
// waits for one that is locked it holds none: whoever locks that may want the others next, or wait for a first entry of this very call's.
func begin(v cverbs.Verb, objects ...*object) error {
	for {
		i := tryAll(objects)
		if i == len(objects) {
			return nil
		}
		if o := objects[i]; o == nil || !o.await() {
			return &Error{Verb: v.String(), Object: o.String(), Err: ErrClosed}
		}
	}
}

// tryAll enters all objects, or none, and does not wait. It returns the index of the one that stood in the way, else their number.
func tryAll(objects []*object) int {
	for i, o := range objects {
		if o == nil || !o.tryEnter() {
			end(objects[:i]...)
			return i
		}
	}
	return len(objects)
}

// end leaves objects that begin has entered.
func end(objects ...*object) {
	for _, o := range objects {
		o.leave(0)
	}
}

// sameHome refuses objects of different contexts. The library would take them: their handles are small numbers, which are likely to mean
// something in the other context, too.
func sameHome(v cverbs.Verb, first *object, others ...*object) error {
	for _, o := range others {
		if o != nil && o.home != first.home {
			return refused(v, first.name, syscall.EINVAL, o.name+" belongs to another context")
		}
	}
	return nil
}

// close destroys what the handle stands for, once, after the calls under way. It is refused with EBUSY while other objects need it. If
// destroy fails, the object stays open, unless the device is lost: then there is nothing left to be destroyed.
func (o *object) close(v cverbs.Verb, destroy func() error) error {
	if o == nil || !o.lock() {
		return nil
	}
	if users := o.users(); users != "" {
		o.unlock(false)
		return refused(v, o.name, syscall.EBUSY, "still used by "+users)
	}
	err := destroy()
	if err != nil && !o.home.gone(err) {
		o.unlock(false)
		return o.failed(v, err)
	}
	o.unlock(true)
	o.detach()
	return nil
}

// detach lets the parents go.
func (o *object) detach() {
	o.cleanup.Stop()
	for _, p := range o.parents {
		p.mu.Lock()
		delete(p.children, o)
		p.mu.Unlock()
	}
}

// mostNamed is how many of those that keep an object from closing are named; there may be thousands.
const mostNamed = 8

// users lists the names of o's children, sorted, those first whose handles are lost, and counts those that are too many to be named.
func (o *object) users() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var lost, names []string
	for c := range o.children {
		c.mu.Lock()
		if c.leaked {
			lost = append(lost, fmt.Sprintf("%s, which nobody can close any more", c.name))
		} else {
			names = append(names, c.name)
		}
		c.mu.Unlock()
	}
	slices.Sort(lost)
	slices.Sort(names)
	names = append(lost, names...)
	if more := len(names) - mostNamed; more > 0 {
		names = append(names[:mostNamed], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, "; ")
}
