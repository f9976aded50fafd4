// Package softdev is a verbs provider in this process, for tests: an RDMA device in software, whose contexts, queues and memory
// regions are real C objects that package cverbs, and the inlines of verbs.h, use as any provider's. It is no network: data moves between
// the QPs of one device.
//
// It checks its caller as hardware would, and everything that can fail can be made to fail. It implements protection domains,
// memory regions, completion channels and queues, extended ones among them, reliable-connected QPs, for which requests may be built one
// by one, and work queues with indirection tables and RSS, which get their packets from [Device.Inject].
//
// Verbs are named as in C, with or without ibv_ in front: "ibv_create_wq", "poll_cq".
//
// # Files
//
// softdev.h is what Go calls, core.h how the parts in C fit together. Each of the C files is about one noun, whose rules it has with their
// sources. The C tests in testdata are programs of their own, which TestC builds.
package softdev
