package main

// #include "provider.h"
// #include <stdlib.h>
import "C"

import (
	"errors"
	"unsafe"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// objects are the provider's.
type objects C.struct_objects

func (o objects) ctx() *ibv.Context { return (*ibv.Context)(o.context) }

// calls has the calls by the C name of the verb; those of an old library have a name of two words.
var calls = []struct {
	name string
	call func(o objects)
}{
	{"ibv_alloc_dm", creates(cverbs.AllocDM)},
	{"ibv_alloc_parent_domain", creates(cverbs.AllocParentDomain)},
	{"ibv_alloc_td", creates(cverbs.AllocTD)},
	{"ibv_create_counters", creates(cverbs.CreateCounters)},
	{"ibv_create_cq_ex", creates(cverbs.CreateCQEx)},
	{"ibv_create_flow_action_esp", creates(cverbs.CreateFlowActionESP)},
	{"ibv_create_qp_ex", creates(cverbs.CreateQPEx)},
	{"ibv_create_rwq_ind_table", creates(cverbs.CreateRWQIndTable)},
	{"ibv_create_srq_ex", creates(cverbs.CreateSRQEx)},
	{"ibv_create_wq", creates(cverbs.CreateWQ)},
	{"ibv_open_qp", creates(cverbs.OpenQP)},
	{"ibv_open_xrcd", creates(cverbs.OpenXRCD)},
	{"ibv_attach_counters_point_flow", func(o objects) {
		p := asked[ibv.CounterAttachAttr](1)
		answered(p, 1, cverbs.AttachCountersPointFlow((*ibv.Counters)(o.counters), p, nil))
	}},
	{"ibv_modify_flow_action_esp", func(o objects) {
		p := asked[ibv.FlowActionESPAttr](1)
		answered(p, 1, cverbs.ModifyFlowActionESP((*ibv.FlowAction)(o.action), p))
	}},
	{"ibv_modify_qp_rate_limit", func(o objects) {
		p := asked[ibv.QPRateLimitAttr](1)
		answered(p, 1, cverbs.ModifyQPRateLimit((*ibv.QP)(o.qp), p))
	}},
	{"ibv_query_device_ex", queryDeviceEx},
	{"ibv_query_device_ex old", func(o objects) {
		C.provider_age()
		p := asked[ibv.DeviceAttrEx](1)
		filled(p, unsafe.Sizeof(p.OrigAttr), cverbs.QueryDeviceEx(o.ctx(), nil, p))
		C.free(unsafe.Pointer(p))
	}},
	{"ibv_query_port", func(o objects) {
		p := asked[ibv.PortAttr](1)
		answered(p, 1, cverbs.QueryPort(o.ctx(), 1, p))
	}},
	{"ibv_query_port old", func(o objects) {
		C.provider_age()
		p := asked[ibv.PortAttr](1)
		filled(p, 48, cverbs.QueryPort(o.ctx(), 1, p))
		C.free(unsafe.Pointer(p))
	}},
	{"ibv_query_rt_values_ex", func(o objects) {
		p := asked[ibv.ValuesEx](1)
		answered(p, 1, cverbs.QueryRtValuesEx(o.ctx(), p))
	}},
	{"ibv_start_poll", func(o objects) {
		p := asked[ibv.PollCQAttr](1)
		answered(p, 1, cverbs.VerbStartPoll.Failed(cverbs.StartPoll((*ibv.CQEx)(o.cq), p)))
	}},
	{"ibv_query_gid_ex", func(o objects) {
		p := asked[ibv.GIDEntry](1)
		answered(p, 1, cverbs.QueryGIDEx(o.ctx(), 1, 0, p, 0))
	}},
	{"ibv_query_gid_table", func(o objects) {
		p := asked[ibv.GIDEntry](3)
		n, err := cverbs.QueryGIDTable(o.ctx(), p, 3, 0)
		answered(p, n, err)
	}},
	{"ibv_query_comp_cntr_caps", func(o objects) {
		p := asked[ibv.CompCntrCaps](1)
		answered(p, 1, cverbs.QueryCompCntrCaps(o.ctx(), p))
	}},
	{"verbs_context", verbsContext},
}

// creates makes a call of a function that creates an object of the context.
func creates[T, R any](create func(*ibv.Context, *T) (*R, error)) func(objects) {
	return func(o objects) {
		p := asked[T](1)
		r, err := create(o.ctx(), p)
		if r == nil && err == nil {
			err = errors.New("nil without an error")
		}
		answered(p, 1, err)
	}
}

func queryDeviceEx(o objects) {
	input := (*ibv.QueryDeviceExInput)(C.calloc(1, C.size_t(unsafe.Sizeof(ibv.QueryDeviceExInput{}))))
	p := asked[ibv.DeviceAttrEx](1)
	answered(p, 1, cverbs.QueryDeviceEx(o.ctx(), input, p))
	C.free(unsafe.Pointer(input))
}

// verbsContext asks for what lies around the context, of which Go knows the last part only.
func verbsContext(o objects) {
	v := ibv.VerbsContextOf(o.ctx())
	if v.Sz != uint64(o.context_size) || v.Sz <= uint64(unsafe.Sizeof(*v)) {
		fail("what is around the context has %d bytes, want %d, more than Go's %d", v.Sz, o.context_size, unsafe.Sizeof(*v))
	}
	if !v.Has(0) || !v.Has(unsafe.Offsetof(v.CreateWQ)) || v.CreateWQ == 0 || v.FreeBuf != 0 {
		fail("create_wq %#x and free_buf %#x of the context, want one and none", v.CreateWQ, v.FreeBuf)
	}
	creates(cverbs.CreateWQ)(o)
}
