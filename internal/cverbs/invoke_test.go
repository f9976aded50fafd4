//go:build linux && cgo

package cverbs

import (
	"bytes"
	"fmt"
	"reflect"
	"syscall"
	"testing"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs/internal/testprovider"
)

// An invocation is a call of one verb with made-up arguments, which are all different.
type invocation struct {
	t    *testing.T
	verb Verb
	info verb
	fn   reflect.Value
	args []reflect.Value
	data []dataArg
}

// A dataArg is an argument that points to data: a struct or word for the function to read or write.
type dataArg struct {
	index int
	p     unsafe.Pointer
	size  uintptr
	want  []byte // what is there
}

// pattern fills n bytes that no other argument has.
func pattern(index int, n uintptr) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(index*31 + i*7 + 5)
	}
	return b
}

// invocation makes the arguments of a verb: objects are of w.
func (w *world) invocation(v Verb) *invocation {
	in := &invocation{t: w.t, verb: v, info: v.info(), fn: reflect.ValueOf(everyCall[v])}
	for i := range in.fn.Type().NumIn() {
		in.args = append(in.args, w.arg(in, i, in.fn.Type().In(i)))
	}
	return in
}

func (w *world) arg(in *invocation, i int, typ reflect.Type) reflect.Value {
	a := reflect.New(typ).Elem()
	switch typ.Kind() {
	case reflect.Pointer:
		return w.pointer(in, i, typ)
	case reflect.Int32:
		a.SetInt(int64(-0x12345670 - i))
		if i > 0 && in.info.name == "ibv_poll_cq" {
			a.SetInt(0x1234567)
		}
	default:
		a.SetUint(masked(0xf1e2d3c4b5a69780|uint64(i), typ.Size()))
	}
	return a
}

func (w *world) pointer(in *invocation, i int, typ reflect.Type) reflect.Value {
	switch typ {
	case reflect.TypeFor[*ibv.Context]():
		return reflect.ValueOf(w.context)
	case reflect.TypeFor[*ibv.Device]():
		return reflect.ValueOf(w.device)
	}
	size := typ.Elem().Size()
	p := alloc(w.t, int(max(size, 8)))
	r := reflect.NewAt(typ.Elem(), p)
	if typ.Elem().Kind() == reflect.Struct && (w.object(r) || size == 0) {
		if size == 0 && w.registered { // it has no member that leads to the context
			w.register(p)
		}
		return r
	}
	want := pattern(i, size)
	switch in.info.name {
	case "ibv_bind_mw":
		clear(want) // it unbinds
	case "ibv_query_device_ex":
		if i == 1 {
			clear(want) // no extension is defined
		}
	}
	copy(unsafe.Slice((*byte)(p), size), want)
	in.data = append(in.data, dataArg{i, p, size, want})
	return r
}

// call calls the verb, whose operation is to return result with errno.
func (in *invocation) call(result uint64, errno syscall.Errno, look bool) []reflect.Value {
	testprovider.Expect(result, errno)
	if look {
		for _, d := range in.data {
			testprovider.Look(d.index, d.size, true)
		}
	}
	return in.fn.Call(in.args)
}

// number returns an argument as a register holds it.
func number(a reflect.Value) (value uint64, size uintptr) {
	switch a.Kind() {
	case reflect.Pointer:
		return uint64(a.Pointer()), 8
	case reflect.Int32:
		return uint64(a.Int()), 4
	}
	return a.Uint(), a.Type().Size()
}

func masked(v uint64, size uintptr) uint64 { return v << (64 - 8*size) >> (64 - 8*size) }

// growing are the arguments that the header's size makes copies of: their address changes.
var growing = map[string]int{
	"ibv_alloc_dm": 1, "ibv_alloc_parent_domain": 1, "ibv_alloc_td": 1, "ibv_attach_counters_point_flow": 1, "ibv_create_counters": 1,
	"ibv_create_cq_ex": 1, "ibv_create_flow_action_esp": 1, "ibv_create_qp_ex": 1, "ibv_create_rwq_ind_table": 1,
	"ibv_create_srq_ex": 1, "ibv_create_wq": 1, "ibv_modify_flow_action_esp": 1, "ibv_modify_qp_rate_limit": 1, "ibv_open_qp": 1,
	"ibv_open_xrcd": 1, "ibv_query_device_ex": 2, "ibv_query_port": 2, "ibv_query_rt_values_ex": 1, "ibv_start_poll": 1,
}

// check compares what the operation of that number saw with the arguments, and what is in memory with what it wrote there.
func (in *invocation) check(slot int) {
	in.t.Helper()
	calls := testprovider.Calls()
	if len(calls) != 1 || calls[0].Slot != slot {
		in.t.Fatalf("calls %+v, want one of %d", calls, slot)
	}
	args := in.args
	if in.info.name == "ibv_reg_mr" { // by ibv_reg_mr_iova2, which takes one more
		args = []reflect.Value{args[0], args[1], args[2], args[1], args[3]}
	}
	for i, a := range args {
		want, size := number(a)
		if got := masked(calls[0].Args[i], size); got != masked(want, size) && !in.copied(i, got) {
			in.t.Errorf("argument %d is %#x, want %#x", i, got, masked(want, size))
		}
	}
	for _, d := range in.data {
		in.checkData(d)
	}
}

func (in *invocation) copied(i int, got uint64) bool {
	if in.info.name == "ibv_query_device_ex" && i == 1 {
		return got != 0
	}
	g, ok := growing[in.info.name]
	return ok && g == i && got != 0
}

func (in *invocation) checkData(d dataArg) {
	in.t.Helper()
	n := min(d.size, testprovider.MaxLook)
	if seen := testprovider.Seen(d.index); !bytes.Equal(seen, d.want[:n]) {
		in.t.Errorf("argument %d points to\n% x, want\n% x", d.index, seen, d.want[:n])
	}
	now := bytes.Clone(d.want)
	for k := range n {
		now[k] ^= 0xff
	}
	if in.info.name == "ibv_query_device_ex" && d.index == 1 {
		now = d.want // it is const, and was copied
	}
	if got := unsafe.Slice((*byte)(d.p), d.size); !bytes.Equal(got, now) {
		in.t.Errorf("after the call argument %d points to\n% x, want\n% x", d.index, got, now)
	}
	copy(unsafe.Slice((*byte)(d.p), d.size), d.want) // for the next call
}

// text is what recording functions that return a string return; object is what those that return a pointer return.
type results struct {
	text   unsafe.Pointer
	object unsafe.Pointer
}

const resultText = "some text"

func newResults(t *testing.T) results {
	r := results{alloc(t, 64), alloc(t, 4096)}
	copy(unsafe.Slice((*byte)(r.text), 64), resultText)
	return r
}

// success returns what the operation is to return, and what the Go call then is to return first.
func (in *invocation) success(r results) (result uint64, want string) {
	typ := in.fn.Type()
	if typ.NumOut() == 0 {
		return 0, ""
	}
	out := typ.Out(0)
	switch {
	case out == reflect.TypeFor[error](), out == reflect.TypeFor[syscall.Errno]():
		return 0, ""
	case out.Kind() == reflect.String:
		return uint64(uintptr(r.text)), resultText
	case out.Kind() == reflect.Pointer:
		return uint64(uintptr(r.object)), fmt.Sprint(uintptr(r.object))
	case typ.NumOut() == 2 && out.Kind() != reflect.Uintptr:
		return 77, "77"
	case out.Kind() == reflect.Int32:
		return ^uint64(4), "-5"
	}
	n := uint64(0xf1e2d3c4b5a69788)
	return n, fmt.Sprint(masked(n, out.Size()))
}

// first renders the first result like want above.
func first(out []reflect.Value) string {
	switch {
	case len(out) == 0 || out[0].Type() == reflect.TypeFor[error]() || out[0].Type() == reflect.TypeFor[syscall.Errno]():
		return ""
	case out[0].Kind() == reflect.Pointer:
		return fmt.Sprint(out[0].Pointer())
	case out[0].Kind() == reflect.String:
		return out[0].String()
	case out[0].CanInt():
		return fmt.Sprint(out[0].Int())
	}
	return fmt.Sprint(out[0].Uint())
}

// failed returns the error of a call, a plain errno value made an error; nil if there is none.
func (in *invocation) failed(out []reflect.Value) error {
	if len(out) == 0 {
		return nil
	}
	switch e := out[len(out)-1].Interface().(type) {
	case error:
		if errno, ok := e.(syscall.Errno); ok {
			return in.verb.Failed(errno)
		}
		return e
	}
	return nil
}
