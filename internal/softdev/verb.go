//go:build linux && cgo

package softdev

// #include "softdev.h"
import "C"

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
)

// cName is what C programs call a verb.
func cName(verb C.int) string {
	name := "ibv_" + C.GoString(C.softdev_verb_name(verb))
	if C.softdev_is_underscored(verb) != 0 {
		return "_" + name
	}
	return name
}

// verbs maps names, without ibv_, to the C numbers.
var verbs = sync.OnceValue(func() map[string]C.int {
	m := map[string]C.int{}
	for verb := C.int(0); verb < C.SD_NVERBS; verb++ {
		m[C.GoString(C.softdev_verb_name(verb))] = verb
	}
	return m
})

func verbOf(name string) (C.int, error) {
	verb, ok := verbs()[strings.TrimPrefix(strings.TrimPrefix(name, "_"), "ibv_")]
	if !ok {
		return 0, fmt.Errorf("there is no verb %q", name)
	}
	return verb, nil
}

// c makes the C form of a configuration.
func (c Config) c() (*C.struct_softdev_config, error) {
	s := &C.struct_softdev_config{
		less:            C.size_t(c.Less),
		max_qp_wr:       C.uint32_t(c.MaxQPWR),
		max_sge:         C.uint32_t(c.MaxSGE),
		max_cqe:         C.uint32_t(c.MaxCQE),
		max_inline_data: C.uint32_t(c.MaxInlineData),
		max_wq:          C.uint32_t(c.MaxWQ),
		max_mr_size:     C.uint64_t(c.MaxMRSize),
		memlock:         C.uint64_t(c.Memlock),
		raw_packet_caps: C.uint32_t(c.RawPacketCaps),
	}
	if len(c.Name) >= len(s.name) || strings.ContainsRune(c.Name, 0) {
		return nil, fmt.Errorf("the name %q is too long, or has a zero byte: %w", c.Name, syscall.EINVAL)
	}
	for i := range len(c.Name) {
		s.name[i] = C.char(c.Name[i])
	}
	for _, name := range c.Absent {
		verb, err := verbOf(name)
		if err != nil {
			return nil, err
		}
		s.absent[verb] = 1
	}
	if c.NoRawPacket {
		s.no_raw_packet_caps = 1
	}
	if c.LastNotify {
		s.last_notify = 1
	}
	if c.Exact {
		s.exact = 1
	}
	return s, nil
}

// Fail makes a fault happen in calls of a verb. Faults of one verb follow one another: a second one's Skip counts from the first one's
// end. An unknown verb is an error.
//
// Acknowledgements cannot fail, only take longer: destroying what the event is about would wait for them for ever. Those of events of
// ports and of the device never reach the device, and nothing happens in them.
func (d *Device) Fail(verb string, fault Fault) error {
	v, err := verbOf(verb)
	if err != nil {
		return err
	}
	f := C.struct_softdev_fault{
		verb: v, skip: C.uint64_t(fault.Skip), times: C.uint64_t(max(fault.Times, 1)),
		delay_ns: C.uint64_t(max(fault.Delay, 0)), value: C.int(fault.Value), err: C.int(fault.Errno),
	}
	if fault.Errno != 0 || fault.Value != 0 || fault.NoErrno {
		f.fails = 1
	}
	if f.fails == 1 && (v == C.SD_ack_cq_events || v == C.SD_ack_async_event) {
		return fmt.Errorf("software device: fail %s: closing what the event is about would wait for it for ever: only Delay: %w", verb, syscall.EINVAL)
	}
	if fault.Value == 0 {
		f.value = C.softdev_failure(v, f.err)
	}
	var errno C.int
	if err := d.with(func(p *C.struct_softdev) { errno = C.softdev_fail(p, &f) }); err != nil {
		return err
	}
	return result(errno)
}

// Heal forgets all faults.
func (d *Device) Heal() {
	d.with(func(p *C.struct_softdev) { C.softdev_heal(p) })
}

// Calls returns how often a verb has been called, failed calls included. An unknown verb is an error.
func (d *Device) Calls(verb string) (n uint64, err error) {
	v, err := verbOf(verb)
	if err != nil {
		return 0, err
	}
	err = d.with(func(p *C.struct_softdev) { n = uint64(C.softdev_calls(p, v)) })
	return n, err
}

// result is the errno value that C has answered, nil if that is 0. The caller knows what it was about.
func result(errno C.int) error {
	if errno == 0 {
		return nil
	}
	return syscall.Errno(errno)
}
