// Package ibv is RDMA's verbs in Go: every struct, union, enum, flag and constant of rdma-core's infiniband/verbs.h, laid
// out in memory exactly as C has it. It is pure Go and needs neither a C compiler nor the library: it describes what others do.
//
// Two names to keep apart: ibv.CQ is C's struct ibv_cq, memory that the library owns. It is not the handle that a Go program
// works with: that is the part of a runtime on top, called verbs here, whose verbs.CQ owns an ibv.CQ. The same goes for QP, WQ,
// MR and the others.
//
// # Names
//
// Constants keep their C spelling, IBV_WC_SUCCESS, so that a manual page's name can be searched. Types, members and methods
// have Go names: ibv_wc is [WC], its wr_id is WRID, its pkey_index is PKeyIndex. The ibv_ in front goes, other prefixes stay:
// ib_uverbs_gid_type is [IBUverbsGIDType]. A name that starts with an underscore gets an X before it: _ibv_device_ops is
// XDeviceOps, and a constant _IBV_X would be X_IBV_X.
//
// Names that end in _RESERVED mark the next free bit of a mask. They move when a release takes that bit, and the library
// refuses them; they are here because the header has them, and are marked as deprecated.
//
// # Types
//
// An enum is an integer of C's width and sign whose String is the C name; a set of flags prints as IBV_WC_GRH|IBV_WC_WITH_IMM,
// with unknown bits in hexadecimal. A member that C declares as a plain integer, but that holds an enum's values, has that
// enum's type if the widths agree.
//
// A union is storage with methods: [AsyncEventElement.PortNum] returns a member and SetPortNum stores it; a member that is a
// struct, such as [GID.Global], comes as a pointer. Members of a union without a name are methods of the struct around it. A
// method has Raw before its name if there is a checked one: [WC.ImmData] tells whether there is immediate data,
// [WC.RawImmData] does not. A bit-field, and a member that lies where Go cannot put a field of its type, are bytes with such
// methods too.
//
// Integers that C declares in network byte order are [Be16], [Be32] and [Be64], which have to be converted to be computed with.
// Others are in the machine's order, but for some that filters of flow rules have, whose comments say so.
//
// A void * is a uintptr, since it may hold any number, and a number in a Go pointer crashes the garbage collector. So is a
// pointer to a function. A pointer to a struct is typed, and is an address in C memory: never store a Go pointer in a struct
// that C keeps. Methods for pointers in unions take and return uintptr.
//
// Go aligns nothing to more than 8 bytes. A type that C aligns more has C's size and a comment that says so; whoever allocates
// it must align it.
//
// # Releases
//
// One source serves every rdma-core from 33 on. It is made from records of several releases, so it does not depend on what is
// installed. Each comment names the oldest recorded release that has the item, the first of them standing for all before it
// too. A struct is as large as in the newest release: an older library fills less of it. [VerbsContext] grows at its front and
// has a way of its own: see [VerbsContextOf].
//
// # Architectures
//
// The layouts hold on amd64, arm64, ppc64le, riscv64 and s390x, all Linux with glibc; declarations at the end of the generated
// files make a build fail that would get one wrong, and name the field. A build for another GOARCH fails with one line. Other
// operating systems, which have no such library, can build the package to decode what comes from Linux.
//
// # Regenerating
//
// With rdma-core's headers installed, 'go generate' records the installed release, if it is new, under gen/records and writes
// the generated files from all records. 'go tool verbsgen help' lists what else the generator can do.
package ibv

//go:generate go tool verbsgen generate
