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
// It has one port, of Ethernet, with four GIDs; queue pairs of all its contexts reach each other, and no other device's. It is no
// network, and no benchmark of one.
//
// It works on Linux with glibc and cgo; elsewhere [Open] returns an error that matches verbs.ErrNotSupported.
package verbstest
