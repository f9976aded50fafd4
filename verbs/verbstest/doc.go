// Package verbstest is an RDMA device in the process, for tests and for trying things out: no hardware, no kernel module, no rights, no
// library.
//
// The device is a verbs provider in C, and package verbs drives it as it drives hardware. Data really moves between its queue pairs,
// completion channels are real descriptors, work queues receive the packets that [Device.Inject] brings, and what can fail can be made
// to: see [Device.Fail] and the methods after it. It checks its caller as hardware does: states, keys, bounds, depths, the order of
// destroying.
//
//	dev := verbstest.New(t, verbstest.Config{}) // closed at the test's end, which fails if something is left
//	ctx, err := dev.Open()
//
// # What it serves
//
// Contexts, domains, memory regions, completion channels and queues, QPs of type RC, work queues, indirection tables, RSS QPs (which take no
// requests and no states), and queries of the device, port, GIDs and partition keys. An RC QP sends and receives IBV_WR_SEND, SEND_WITH_IMM,
// SEND_WITH_INV, RDMA_WRITE, RDMA_WRITE_WITH_IMM, RDMA_READ and LOCAL_INV, inline data included; posts of atomics, memory windows and offloads
// fail with EINVAL. Its QPs post by the calls of ibv_wr_* as well (verbs.QPAttr.SendOps). Extended CQs tell all fields but VLANs, flow tags and
// matched tags. There are no UC, UD or other QPs, shared receive queues, address handles, flow rules or on-demand paging: such verbs fail
// with verbs.ErrNotSupported, and such QPs with EOPNOTSUPP.
//
// It has one port, of Ethernet, with four GIDs; queue pairs of all its contexts reach each other, and no other device's. It is no
// network, and no benchmark of one.
//
// It works on Linux with glibc and cgo; elsewhere [Open] returns an error that matches verbs.ErrNotSupported.
package verbstest
