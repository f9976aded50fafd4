//go:build linux && cgo

package verbs

import (
	"errors"
	"net/netip"
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/softdev"
)

func TestQueries(t *testing.T) {
	_, c := testDeviceWith(t, softdev.Config{MaxCQE: 4000, MaxSGE: 7, MaxWQ: 99}, OpenAttr{})
	dev, err := c.QueryDevice()
	if err != nil || dev.MaxCQE != 4000 || dev.MaxSGE != 7 || dev.PhysPortCnt != 1 {
		t.Errorf("%+v, %v", dev, err)
	}
	ex, err := c.QueryDeviceEx()
	if err != nil || ex.OrigAttr.MaxCQE != 4000 || ex.MaxWQTypeRQ != 99 {
		t.Errorf("%+v, %v", ex, err)
	}
	port, err := c.QueryPort(1)
	if err != nil || port.State != ibv.IBV_PORT_ACTIVE || port.ActiveMTU != ibv.IBV_MTU_4096 || port.LinkLayer != uint8(ibv.IBV_LINK_LAYER_ETHERNET) {
		t.Errorf("%+v, %v", port, err)
	}
	gid, err := c.QueryGID(1, 3)
	if err != nil || gid.String() != "::ffff:10.9.0.1" {
		t.Errorf("%v, %v", gid, err)
	}
	if gid, err := c.QueryGID(1, 9); err != nil || !gid.IsZero() {
		t.Errorf("an unused entry: %v, %v", gid, err)
	}
	entry, err := c.QueryGIDEntry(1, 3)
	if err != nil || entry.GID != gid || entry.GIDType != ibv.IBV_GID_TYPE_ROCE_V2 || entry.GIDIndex != 3 || entry.PortNum != 1 {
		t.Errorf("%+v, %v", entry, err)
	}
	table, err := c.GIDTable()
	if err != nil || len(table) != 4 || table[3] != *entry {
		t.Errorf("%+v, %v", table, err)
	}
	if key, err := c.QueryPKey(1, 0); err != nil || key != 0xffff {
		t.Errorf("%#x, %v", key, err)
	}
}

// A wrong port or index is refused with those that there are.
func TestQueriesOutOfRange(t *testing.T) {
	_, c := testDevice(t)
	port := func(p int) func() error {
		return func() error { _, err := c.QueryPort(p); return err }
	}
	gid := func(p, i int) func() error {
		return func() error { _, err := c.QueryGID(p, i); return err }
	}
	entry := func(p, i int) func() error {
		return func() error { _, err := c.QueryGIDEntry(p, i); return err }
	}
	key := func(p, i int) func() error {
		return func() error { _, err := c.QueryPKey(p, i); return err }
	}
	choose := func(p int) func() error {
		return func() error { _, _, err := c.SelectGID(p); return err }
	}
	const ports, gids, keys = "ports 1 to 1", "indices 0 to 15", "indices 0 to 0"
	for _, test := range []struct {
		verb, hint string
		f          func() error
	}{
		{"query_port", ports, port(0)}, {"query_port", ports, port(2)}, {"query_port", ports, port(255)},
		{"query_port", ports, port(256)}, {"query_port", ports, port(257)}, {"query_port", ports, port(-1)}, {"query_port", ports, port(1 << 40)},
		{"query_gid", ports, gid(2, 0)}, {"query_gid", ports, gid(257, 0)}, {"query_gid", gids, gid(1, 16)},
		{"query_gid", gids, gid(1, -1)}, {"query_gid", gids, gid(1, 1<<32)}, {"query_gid", gids, gid(1, 1<<31)},
		{"query_gid_ex", ports, entry(2, 0)}, {"query_gid_ex", ports, entry(257, 0)}, {"query_gid_ex", gids, entry(1, 16)},
		{"query_gid_ex", gids, entry(1, -1)}, {"query_gid_ex", gids, entry(1, 1<<32)},
		{"query_pkey", ports, key(2, 0)}, {"query_pkey", ports, key(-255, 0)}, {"query_pkey", keys, key(1, 1)}, {"query_pkey", keys, key(1, -1)},
		{"query_port", ports, choose(2)}, {"query_port", ports, choose(-3)},
	} {
		wantError(t, test.f(), "ibv_"+test.verb, "softdev0", syscall.EINVAL, test.hint)
	}
	if _, err := c.QueryGIDEntry(1, 9); !errors.Is(err, syscall.ENODATA) {
		t.Errorf("an unused entry: %v", err)
	}
}

// Every query's failure names verb, device and errno value.
func TestQueriesFail(t *testing.T) {
	d, c := testDevice(t)
	for verb, f := range map[string]func() error{
		"query_device":    func() error { _, err := c.QueryDevice(); return err },
		"query_device_ex": func() error { _, err := c.QueryDeviceEx(); return err },
		"query_port":      func() error { _, err := c.QueryPort(1); return err },
		"query_gid":       func() error { _, err := c.QueryGID(1, 0); return err },
		"query_gid_ex":    func() error { _, err := c.QueryGIDEntry(1, 0); return err },
		"query_gid_table": func() error { _, err := c.GIDTable(); return err },
		"query_pkey":      func() error { _, err := c.QueryPKey(1, 0); return err },
	} {
		for _, errno := range []syscall.Errno{syscall.EIO, syscall.EACCES} {
			if err := d.Fail(verb, softdev.Fault{Errno: errno}); err != nil {
				t.Fatal(err)
			}
			wantError(t, f(), "ibv_"+verb, "softdev0", errno)
			if err := f(); err != nil {
				t.Errorf("%s again: %v", verb, err)
			}
		}
	}
}

// GID index 3 of the software device is RoCE v2 with an IPv4 address, 2 the same of RoCE v1.
func TestSelectGID(t *testing.T) {
	want := ibv.GIDFromAddr(netip.MustParseAddr("::ffff:10.9.0.1"))
	for name, config := range map[string]softdev.Config{
		"with types":    {},
		"without types": {Absent: []string{"query_gid_table", "query_gid_ex"}},
	} {
		_, c := testDeviceWith(t, config, OpenAttr{})
		if i, gid, err := c.SelectGID(1); err != nil || i != 3 || gid != want {
			t.Errorf("%s: %d, %v, %v", name, i, gid, err)
		}
	}
	d, c := testDevice(t)
	d.Fail("query_gid_table", softdev.Fault{Errno: syscall.EIO})
	_, _, err := c.SelectGID(1)
	wantError(t, err, "ibv_query_gid_table", "softdev0", syscall.EIO)
	// The library returns what there is, which may be nothing.
	d.Fail("query_gid_table", softdev.Fault{NoErrno: true})
	_, _, err = c.SelectGID(1)
	wantError(t, err, "ibv_query_gid_table", "softdev0", syscall.EADDRNOTAVAIL, "port 1 has no GID")
}

func TestSelectGIDPrefers(t *testing.T) {
	const ib, v1, v2 = ibv.IBV_GID_TYPE_IB, ibv.IBV_GID_TYPE_ROCE_V1, ibv.IBV_GID_TYPE_ROCE_V2
	type entry struct {
		gid  string
		typ  ibv.GIDType
		port uint32
	}
	for _, test := range []struct {
		entries []entry
		want    int // -1: none
	}{
		{nil, -1},
		{[]entry{{"::", v2, 1}}, -1},
		{[]entry{{"::ffff:10.0.0.1", v2, 2}}, -1},
		{[]entry{{"fe80::1", ib, 1}, {"2001:db8::1", ib, 1}}, 0},
		{[]entry{{"fe80::1", ib, 1}, {"fe80::1", v1, 1}}, 1},
		{[]entry{{"fe80::1", v1, 1}, {"fe80::1", v2, 1}}, 1},
		{[]entry{{"::ffff:10.0.0.1", v1, 1}, {"fe80::1", v2, 1}}, 1},
		{[]entry{{"fe80::1", v2, 1}, {"2001:db8::1", v2, 1}, {"::ffff:10.0.0.1", v2, 1}}, 1},
		{[]entry{{"::ffff:169.254.1.1", v2, 1}, {"::ffff:10.0.0.1", v2, 1}}, 1},
		{[]entry{{"::ffff:10.0.0.1", v2, 2}, {"fe80::1", v2, 1}}, 1},
		{[]entry{{"fe80::1", untyped, 1}, {"::ffff:10.0.0.1", untyped, 1}}, 1},
	} {
		var entries []ibv.GIDEntry
		for i, e := range test.entries {
			entries = append(entries, ibv.GIDEntry{GID: ibv.GIDFromAddr(netip.MustParseAddr(e.gid)), GIDIndex: uint32(i), GIDType: e.typ, PortNum: e.port})
		}
		got := -1
		if e := best(entries, 1); e != nil {
			got = int(e.GIDIndex)
		}
		if got != test.want {
			t.Errorf("%v: chose %d, want %d", test.entries, got, test.want)
		}
	}
}
