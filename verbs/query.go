package verbs

import (
	"fmt"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// QueryDevice returns the device's limits and abilities (ibv_query_device). Limits are upper bounds: whether so much can be had depends
// on what else is in use.
func (c *Context) QueryDevice() (*ibv.DeviceAttr, error) {
	const verb = cverbs.VerbQueryDevice
	if err := begin(verb, c.core()); err != nil {
		return nil, err
	}
	defer end(c.core())
	return c.queryDevice()
}

// queryDevice is for those that are within a call.
func (c *Context) queryDevice() (*ibv.DeviceAttr, error) {
	attr := new(ibv.DeviceAttr)
	if err := cverbs.QueryDevice(c.raw, attr); err != nil {
		return nil, c.failed(cverbs.VerbQueryDevice, err)
	}
	return attr, nil
}

// QueryDeviceEx returns the limits and abilities that came later, too (ibv_query_device_ex). What the device, its provider or the library
// does not know of is zero.
func (c *Context) QueryDeviceEx() (*ibv.DeviceAttrEx, error) {
	const verb = cverbs.VerbQueryDeviceEx
	if err := begin(verb, c.core()); err != nil {
		return nil, err
	}
	defer end(c.core())
	attr := new(ibv.DeviceAttrEx)
	if err := cverbs.QueryDeviceEx(c.raw, nil, attr); err != nil {
		return nil, c.failed(verb, err)
	}
	return attr, nil
}

// QueryPort returns the state and attributes of a port (ibv_query_port). The first port is 1.
func (c *Context) QueryPort(port int) (*ibv.PortAttr, error) {
	const verb = cverbs.VerbQueryPort
	if err := begin(verb, c.core()); err != nil {
		return nil, err
	}
	defer end(c.core())
	attr, err := c.queryPort(port)
	return attr, hinted(err, c.portHint(err, port))
}

// queryPort is for those that are within a call.
func (c *Context) queryPort(port int) (*ibv.PortAttr, error) {
	const verb = cverbs.VerbQueryPort
	if port < 0 || port > 255 {
		return nil, refused(verb, c.name, syscall.EINVAL, "")
	}
	attr := new(ibv.PortAttr)
	if err := cverbs.QueryPort(c.raw, uint8(port), attr); err != nil {
		return nil, c.failed(verb, err)
	}
	return attr, nil
}

// portHint tells which ports there are, if the error may come from the port's number.
func (c *Context) portHint(err error, port int) string {
	if err == nil || c.home.lost.Load() {
		return ""
	}
	attr, err := c.queryDevice()
	if err != nil || port >= 1 && port <= int(attr.PhysPortCnt) {
		return ""
	}
	return fmt.Sprintf("port %d; the device has ports 1 to %d", port, attr.PhysPortCnt)
}

// indexHint tells which ports there are, or how long the port's table is, if the error may come from either.
func (c *Context) indexHint(err error, port, index int, table string, length func(*ibv.PortAttr) int) string {
	if err == nil {
		return ""
	}
	if hint := c.portHint(err, port); hint != "" {
		return hint
	}
	attr, err := c.queryPort(port)
	if err != nil || index >= 0 && index < length(attr) {
		return ""
	}
	return fmt.Sprintf("index %d; the %s table of port %d has indices 0 to %d", index, table, port, length(attr)-1)
}

func gidTable(a *ibv.PortAttr) int  { return int(a.GIDTblLen) }
func pkeyTable(a *ibv.PortAttr) int { return int(a.PKeyTblLen) }

// placed refuses what is no port number or index at all.
func (c *Context) placed(verb cverbs.Verb, port, index int) error {
	if port < 0 || port > 255 || index < 0 || index > 1<<31-1 {
		return refused(verb, c.name, syscall.EINVAL, "")
	}
	return nil
}

// QueryGID returns an entry of a port's GID table (ibv_query_gid); a zero one if the entry is not in use.
func (c *Context) QueryGID(port, index int) (ibv.GID, error) {
	const verb = cverbs.VerbQueryGID
	if err := begin(verb, c.core()); err != nil {
		return ibv.GID{}, err
	}
	defer end(c.core())
	gid, err := c.queryGID(port, index)
	return gid, hinted(err, c.indexHint(err, port, index, "GID", gidTable))
}

// queryGID is for those that are within a call.
func (c *Context) queryGID(port, index int) (ibv.GID, error) {
	const verb = cverbs.VerbQueryGID
	if err := c.placed(verb, port, index); err != nil {
		return ibv.GID{}, err
	}
	gid := new(ibv.GID)
	if err := cverbs.QueryGID(c.raw, uint8(port), int32(index), gid); err != nil {
		return ibv.GID{}, c.failed(verb, err)
	}
	return *gid, nil
}

// QueryGIDEntry returns an entry of a port's GID table with its type and network interface (ibv_query_gid_ex). An entry that is not in use
// is an error matching ENODATA. Libraries before rdma-core 33 do not have it.
func (c *Context) QueryGIDEntry(port, index int) (*ibv.GIDEntry, error) {
	const verb = cverbs.VerbQueryGIDEx
	if err := begin(verb, c.core()); err != nil {
		return nil, err
	}
	defer end(c.core())
	err := c.placed(verb, port, index)
	entry := new(ibv.GIDEntry)
	if err == nil {
		err = c.failed(verb, cverbs.QueryGIDEx(c.raw, uint32(port), uint32(index), entry, 0))
	}
	if err != nil {
		return nil, hinted(err, c.indexHint(err, port, index, "GID", gidTable))
	}
	return entry, nil
}

// GIDTable returns the entries in use of all ports' GID tables (ibv_query_gid_table).
func (c *Context) GIDTable() ([]ibv.GIDEntry, error) {
	const verb = cverbs.VerbQueryGIDTable
	if err := begin(verb, c.core()); err != nil {
		return nil, err
	}
	defer end(c.core())
	return c.gidTable()
}

// gidTable is for those that are within a call.
func (c *Context) gidTable() ([]ibv.GIDEntry, error) {
	attr, err := c.queryDevice()
	if err != nil {
		return nil, err
	}
	room := 0
	for port := 1; port <= int(attr.PhysPortCnt); port++ {
		p, err := c.queryPort(port)
		if err != nil {
			return nil, err
		}
		room += max(0, int(p.GIDTblLen))
	}
	if room == 0 {
		return nil, nil
	}
	entries := make([]ibv.GIDEntry, room)
	n, err := cverbs.QueryGIDTable(c.raw, &entries[0], uint64(room), 0)
	if err != nil {
		return nil, c.failed(cverbs.VerbQueryGIDTable, err)
	}
	return entries[:min(n, room)], nil
}

// QueryPKey returns an entry of a port's partition key table in host order (ibv_query_pkey). 0x7fff and 0xffff are the default
// partition's, whose full members have the upper bit set.
func (c *Context) QueryPKey(port, index int) (uint16, error) {
	const verb = cverbs.VerbQueryPKey
	if err := begin(verb, c.core()); err != nil {
		return 0, err
	}
	defer end(c.core())
	err := c.placed(verb, port, index)
	key := new(ibv.Be16)
	if err == nil {
		err = c.failed(verb, cverbs.QueryPKey(c.raw, uint8(port), int32(index), key))
	}
	if err != nil {
		return 0, hinted(err, c.indexHint(err, port, index, "partition key", pkeyTable))
	}
	return key.Host(), nil
}
