package verbs

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// SelectGID chooses an entry of a port's GID table to be the source address of a connection: one of RoCE v2 with an address that can be
// routed, IPv4 or global IPv6, before a link-local one of RoCE v2, before RoCE v1, before InfiniBand's; among equals the one with
// the lowest index. Where the library or device does not tell the type of entries, those with addresses that can be routed come first,
// and the last of several entries with the same address, which RoCE v2 uses to have. A port without an address in use is an error
// matching EADDRNOTAVAIL.
func (c *Context) SelectGID(port int) (index int, gid ibv.GID, err error) {
	const verb = cverbs.VerbQueryGIDTable
	if err := begin(verb, c.core()); err != nil {
		return 0, ibv.GID{}, err
	}
	defer end(c.core())
	attr, err := c.queryPort(port)
	if err != nil {
		return 0, ibv.GID{}, hinted(err, c.portHint(err, port))
	}
	entries, err := c.gidTable()
	if errors.Is(err, ErrNotSupported) {
		entries, err = c.untypedGIDs(port, int(attr.GIDTblLen))
	}
	if err != nil {
		return 0, ibv.GID{}, err
	}
	if e := best(entries, port); e != nil {
		return int(e.GIDIndex), e.GID, nil
	}
	return 0, ibv.GID{}, refused(verb, c.name, syscall.EADDRNOTAVAIL, fmt.Sprintf("port %d has no GID in use: give its network interface an address", port))
}

// untyped is the type of entries whose type is not known.
const untyped = ^ibv.GIDType(0)

// untypedGIDs returns the entries in use of a port's table by asking for each. Of several with one GID there is only the last.
func (c *Context) untypedGIDs(port, length int) ([]ibv.GIDEntry, error) {
	var entries []ibv.GIDEntry
	at := make(map[ibv.GID]int)
	for i := range length {
		gid, err := c.queryGID(port, i)
		if err != nil {
			return nil, err
		}
		if gid.IsZero() {
			continue
		}
		e := ibv.GIDEntry{GID: gid, GIDIndex: uint32(i), PortNum: uint32(port), GIDType: untyped}
		if k, ok := at[gid]; ok {
			entries[k] = e
			continue
		}
		at[gid] = len(entries)
		entries = append(entries, e)
	}
	return entries, nil
}

// best returns the entry of a port that is to be preferred, nil if there is none.
func best(entries []ibv.GIDEntry, port int) *ibv.GIDEntry {
	var r *ibv.GIDEntry
	for i := range entries {
		e := &entries[i]
		if e.PortNum == uint32(port) && !e.GID.IsZero() && (r == nil || rank(e) < rank(r)) {
			r = e
		}
	}
	return r
}

// rank is lower for what is to be preferred.
func rank(e *ibv.GIDEntry) int {
	a := e.GID.Addr()
	local := a.IsLinkLocalUnicast() || a.IsLinkLocalMulticast() || a.Unmap().IsLinkLocalUnicast()
	switch {
	case e.GIDType == ibv.IBV_GID_TYPE_ROCE_V2 && !local:
		return 0
	case e.GIDType == ibv.IBV_GID_TYPE_ROCE_V2:
		return 1
	case e.GIDType == untyped && !local:
		return 2
	case e.GIDType == untyped:
		return 3
	case e.GIDType == ibv.IBV_GID_TYPE_ROCE_V1:
		return 4
	}
	return 5
}
