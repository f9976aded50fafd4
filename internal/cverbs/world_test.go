//go:build linux && cgo

package cverbs

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs/internal/testprovider"
)

// A world is a device of a provider in the process that has every operation, exported functions included. Each of them notes that
// it was called. All of it is C memory.
type world struct {
	t          *testing.T
	extended   *ibv.VerbsContext
	context    *ibv.Context
	device     *ibv.Device
	ops        []uintptr      // by Verb, what Register gets
	slots      map[string]int // by struct and member: VerbsContext.CreateWQ
	members    int            // how many of them there are
	registered bool           // with Register; else all exported functions are the library's
}

// Recording functions by their number: those of the table of operations by Verb, then those of the library, then members.
func providerSlot(v Verb) int { return int(v) }
func librarySlot(v Verb) int  { return len(verbTable) + int(v) }

// newWorld registers the context and device, if it is to.
func newWorld(t *testing.T, registered bool) *world {
	w := &world{t: t, slots: map[string]int{}, registered: registered}
	w.extended = (*ibv.VerbsContext)(alloc(t, int(unsafe.Sizeof(*w.extended))))
	w.context = &w.extended.Context
	w.device = (*ibv.Device)(alloc(t, int(unsafe.Sizeof(*w.device))))
	w.functions(reflect.ValueOf(w.extended).Elem())
	w.functions(reflect.ValueOf(&w.context.Ops).Elem())
	w.extended.Sz = uint64(unsafe.Sizeof(*w.extended))
	w.context.ABICompat = ^uintptr(0)
	w.context.Device = w.device
	w.ops = unsafe.Slice((*uintptr)(alloc(t, 8*len(verbTable))), len(verbTable))
	for v := range w.ops {
		w.ops[v] = testprovider.Slot(providerSlot(Verb(v)))
	}
	if !registered {
		return w
	}
	for _, object := range []unsafe.Pointer{unsafe.Pointer(w.context), unsafe.Pointer(w.device)} {
		w.register(object)
	}
	return w
}

func (w *world) register(object unsafe.Pointer) {
	w.t.Helper()
	if err := Register(object, unsafe.Pointer(&w.ops[0])); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := Unregister(object); err != nil {
			w.t.Error(err)
		}
	})
}

// ownWords are the members of type void * that are no functions.
var ownWords = map[string]bool{"ABICompat": true, "CQContext": true, "QPContext": true, "SRQContext": true, "WQContext": true}

// functions puts a recording function into each function pointer of a struct.
func (w *world) functions(s reflect.Value) {
	for i := range s.NumField() {
		f := s.Type().Field(i)
		if f.Type.Kind() != reflect.Uintptr || ownWords[f.Name] {
			continue
		}
		key := s.Type().Name() + "." + f.Name
		slot, ok := w.slots[key]
		if !ok {
			slot = 2*len(verbTable) + w.members
			w.members++
			w.slots[key] = slot
		}
		if slot >= testprovider.Slots {
			w.t.Fatal("too few recording functions")
		}
		s.Field(i).SetUint(uint64(testprovider.Slot(slot)))
	}
}

// object fills a struct that stands for something on the device, and reports whether it is one.
func (w *world) object(p reflect.Value) bool {
	switch o := p.Interface().(type) {
	case *ibv.AsyncEvent:
		o.EventType = ibv.IBV_EVENT_CQ_ERR
		cq := (*ibv.CQ)(alloc(w.t, int(unsafe.Sizeof(ibv.CQ{}))))
		cq.Context = w.context
		o.Element.SetCQ(uintptr(unsafe.Pointer(cq)))
		return true
	case *ibv.MW:
		o.Type = ibv.IBV_MW_TYPE_1
	case *ibv.QPEx:
		o.QPBase.Context = w.context
		w.functions(p.Elem())
		return true
	}
	f := p.Elem().FieldByName("Context")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*ibv.Context]() {
		return false
	}
	f.Set(reflect.ValueOf(w.context))
	w.functions(p.Elem())
	return true
}

// member returns the number of the operation that an inline reaches, and whether it is of the extended context.
func (w *world) member(goName string) (slot int, extended, ok bool) {
	keys := []string{"VerbsContext." + goName, "ContextOps." + goName, "QPEx." + goName, "CQEx." + goName, "DM." + goName}
	if len(goName) > 6 && goName[:6] == "WCRead" {
		keys = append(keys, "CQEx."+goName[2:])
	}
	if key, ok := otherMember[goName]; ok {
		keys = []string{key}
	}
	for _, key := range keys {
		if slot, ok := w.slots[key]; ok {
			return slot, key[:2] == "Ve", true
		}
	}
	return 0, false, false
}

// otherMember has the operations that are not named like the inline.
var otherMember = map[string]string{
	"CreateFlow":            "VerbsContext.IbvCreateFlow",
	"DestroyFlow":           "VerbsContext.IbvDestroyFlow",
	"PostWQRecv":            "WQ.PostRecv",
	"QueryRtValuesEx":       "VerbsContext.QueryRtValues",
	"WCReadInvalidatedRKey": "CQEx.ReadImmData",
}
