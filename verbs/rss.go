package verbs

import (
	"fmt"
	"runtime"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// RSSAttr says how a QP spreads the packets that it receives.
type RSSAttr struct {
	// The WQs to spread them over.
	Table *RWQIndTable
	// The hash function; 0 is IBV_RX_HASH_FUNC_TOEPLITZ.
	Function ibv.RxHashFunctionFlags
	// The hash's key, which is copied; nil is the key of DefaultRSSKey. Toeplitz takes 40 bytes. The low bits of the hash are the number of
	// the table's entry.
	Key []byte
	// What of a packet is hashed: IBV_RX_HASH_SRC_IPV4 and others. Most devices refuse IPv4 together with IPv6, and TCP with UDP. Packets
	// without these fields go to the table's first WQ.
	Fields ibv.RxHashFields
}

// DefaultRSSKey is the Toeplitz key with which Microsoft published the hashes of some addresses, so that a spread can be foretold. Those who
// know a key can aim at one queue: choose a random one where that matters.
func DefaultRSSKey() []byte {
	return []byte{
		0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
		0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
	}
}

// CreateRSSQP creates a QP of type IBV_QPT_RAW_PACKET with ibv_create_qp_ex, which spreads what it receives over the WQs of a table. It has no
// queues and no states: nothing can be posted to it. Neither the domain nor the table can be closed before it. ErrNotSupported: the device
// cannot do it, or not with these fields.
//
// Refused with EINVAL: no table, or one of another context; a key of more than 255 bytes, or a function that C has no room for.
func (p *PD) CreateRSSQP(attr RSSAttr) (*QP, error) {
	v := cverbs.VerbCreateQPEx
	if attr.Table == nil {
		return nil, refused(v, p.core().String(), syscall.EINVAL, "RSSAttr.Table is nil")
	}
	if attr.Function == 0 {
		attr.Function = ibv.IBV_RX_HASH_FUNC_TOEPLITZ
	}
	key := append([]byte(nil), attr.Key...)
	if attr.Key == nil {
		key = DefaultRSSKey()
	}
	switch {
	case len(key) == 0 || len(key) > 255:
		return nil, refused(v, p.core().String(), syscall.EINVAL, fmt.Sprintf("RSSAttr.Key has %d bytes", len(key)))
	case attr.Function > 255:
		return nil, refused(v, p.core().String(), syscall.EINVAL, fmt.Sprintf("RSSAttr.Function is %v", attr.Function))
	}
	return p.create(v, nil, nil, attr.Table, func() (*ibv.QP, ibv.QPCap, error) {
		// The key is read during the call only.
		var pinner runtime.Pinner
		defer pinner.Unpin()
		pinner.Pin(&key[0])
		raw, err := cverbs.CreateQPEx(p.ctx.raw, &ibv.QPInitAttrEx{
			QPType: ibv.IBV_QPT_RAW_PACKET, CompMask: ibv.IBV_QP_INIT_ATTR_PD | ibv.IBV_QP_INIT_ATTR_IND_TABLE | ibv.IBV_QP_INIT_ATTR_RX_HASH,
			PD: p.raw, RWQIndTbl: attr.Table.raw, RxHashConf: ibv.RxHashConf{
				RxHashFunction: uint8(attr.Function), RxHashKeyLen: uint8(len(key)), RxHashKey: &key[0], RxHashFieldsMask: uint64(attr.Fields),
			},
		})
		return raw, ibv.QPCap{}, hinted(p.failed(v, err), rssHint(err, &attr, len(key)))
	})
}

// rssHint tells what was asked for, and what of it is mostly wrong.
func rssHint(err error, a *RSSAttr, key int) string {
	const (
		ipv4 = ibv.IBV_RX_HASH_SRC_IPV4 | ibv.IBV_RX_HASH_DST_IPV4
		ipv6 = ibv.IBV_RX_HASH_SRC_IPV6 | ibv.IBV_RX_HASH_DST_IPV6
		tcp  = ibv.IBV_RX_HASH_SRC_PORT_TCP | ibv.IBV_RX_HASH_DST_PORT_TCP
		udp  = ibv.IBV_RX_HASH_SRC_PORT_UDP | ibv.IBV_RX_HASH_DST_PORT_UDP
	)
	hint := fmt.Sprintf("function %v, a key of %d bytes, fields %v", a.Function, key, a.Fields)
	switch f := a.Fields; {
	case errnoOf(err) != syscall.EINVAL && errnoOf(err) != syscall.EOPNOTSUPP:
	case a.Function == ibv.IBV_RX_HASH_FUNC_TOEPLITZ && key != len(DefaultRSSKey()):
		hint += fmt.Sprintf(": Toeplitz takes a key of %d bytes, and not of %d", len(DefaultRSSKey()), key)
	case f&ipv4 != 0 && f&ipv6 != 0:
		hint += ": most devices refuse IPv4 together with IPv6"
	case f&tcp != 0 && f&udp != 0:
		hint += ": most devices refuse TCP together with UDP"
	}
	return hint
}
