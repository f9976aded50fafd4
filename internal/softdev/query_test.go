//go:build linux && cgo

package softdev

import (
	"syscall"
	"testing"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

func TestQueryPort(t *testing.T) {
	d, c := open(t, Config{})
	var p ibv.PortAttr
	wantNil(t, cverbs.QueryPort(c, 1, &p))
	if p.State != ibv.IBV_PORT_ACTIVE || p.ActiveMTU != ibv.IBV_MTU_4096 || p.GIDTblLen != 16 || p.PKeyTblLen != 1 || p.LinkLayer != uint8(ibv.IBV_LINK_LAYER_ETHERNET) {
		t.Errorf("%+v", p)
	}
	for _, port := range []uint8{0, 2, 255} {
		wantErrno(t, cverbs.QueryPort(c, port, &p), "ibv_query_port", syscall.EINVAL)
	}
	d.SetPort(false)
	wantNil(t, cverbs.QueryPort(c, 1, &p))
	if p.State != ibv.IBV_PORT_DOWN {
		t.Errorf("state %v", p.State)
	}
}

func TestQueryGID(t *testing.T) {
	_, c := open(t, Config{})
	want := []struct {
		gid  string
		kind uint32
	}{{"fe80::aff:fe09:1", 1}, {"fe80::aff:fe09:1", 2}, {"::ffff:10.9.0.1", 1}, {"::ffff:10.9.0.1", 2}}
	for i := range int32(16) {
		var gid ibv.GID
		wantNil(t, cverbs.QueryGID(c, 1, i, &gid))
		if text := gid.String(); i < 4 && text != want[i].gid || i >= 4 && !gid.IsZero() {
			t.Errorf("%d: %s", i, text)
		}
	}
	var gid ibv.GID
	wantErrno(t, cverbs.QueryGID(c, 1, 16, &gid), "ibv_query_gid", syscall.EINVAL)
	wantErrno(t, cverbs.QueryGID(c, 1, -1, &gid), "ibv_query_gid", syscall.EINVAL)
	wantErrno(t, cverbs.QueryGID(c, 2, 0, &gid), "ibv_query_gid", syscall.EINVAL)

	entries := make([]ibv.GIDEntry, 8)
	n, err := cverbs.QueryGIDTable(c, &entries[0], 8, 0)
	if n != 4 || err != nil {
		t.Fatalf("%d entries, %v", n, err)
	}
	for i, e := range entries[:n] {
		if e.GID.String() != want[i].gid || uint32(e.GIDType) != want[i].kind || e.GIDIndex != uint32(i) || e.PortNum != 1 {
			t.Errorf("entry %d is %+v", i, e)
		}
		var one ibv.GIDEntry
		wantNil(t, cverbs.QueryGIDEx(c, 1, uint32(i), &one, 0))
		if one != e {
			t.Errorf("entry %d is %+v, and %+v in the table", i, one, e)
		}
	}
	_, err = cverbs.QueryGIDTable(c, &entries[0], 3, 0)
	wantErrno(t, err, "ibv_query_gid_table", syscall.EINVAL)
	wantErrno(t, cverbs.QueryGIDEx(c, 1, 4, &entries[0], 0), "ibv_query_gid_ex", syscall.ENODATA)
	wantErrno(t, cverbs.QueryGIDEx(c, 1, 16, &entries[0], 0), "ibv_query_gid_ex", syscall.EINVAL)
	wantErrno(t, cverbs.QueryGIDEx(c, 1, 0, &entries[0], 1), "ibv_query_gid_ex", syscall.EINVAL)
}

func TestQueryPKey(t *testing.T) {
	_, c := open(t, Config{})
	var key ibv.Be16
	wantNil(t, cverbs.QueryPKey(c, 1, 0, &key))
	if key.Host() != 0xffff {
		t.Errorf("%#x", key.Host())
	}
	wantErrno(t, cverbs.QueryPKey(c, 1, 1, &key), "ibv_query_pkey", syscall.EINVAL)
	if n, err := cverbs.GetPKeyIndex(c, 1, key); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	_, err := cverbs.GetPKeyIndex(c, 1, key^1)
	wantErrno(t, err, "ibv_get_pkey_index", syscall.EINVAL)
}

func TestQueryDevice(t *testing.T) {
	d, c := open(t, Config{})
	var ex ibv.DeviceAttrEx
	wantNil(t, cverbs.QueryDeviceEx(c, nil, &ex))
	var a ibv.DeviceAttr
	wantNil(t, cverbs.QueryDevice(c, &a))
	if ex.OrigAttr != a || a.MaxQPWR != 16384 || a.MaxSGE != 16 || a.MaxCQE != 1<<20 || a.MaxMRSize != 1<<40 || a.PhysPortCnt != 1 ||
		a.NodeGUID != cverbs.GetDeviceGUID(d.Raw()) {
		t.Errorf("%+v", a)
	}
	if ex.RawPacketCaps != 15 || ex.MaxWQTypeRQ != 4096 || ex.RSSCaps.MaxRWQIndirectionTableSize != 256 || ex.RSSCaps.RxHashFunction != 1 ||
		ex.RSSCaps.SupportedQpts != 1<<ibv.IBV_QPT_RAW_PACKET {
		t.Errorf("%+v", ex)
	}
	wantErrno(t, cverbs.QueryDeviceEx(c, &ibv.QueryDeviceExInput{CompMask: 1}, &ex), "ibv_query_device_ex", syscall.EINVAL)
	_, bare := open(t, Config{NoRawPacket: true})
	wantNil(t, cverbs.QueryDeviceEx(bare, nil, &ex))
	if ex.RawPacketCaps != 0 {
		t.Errorf("capabilities %#x", ex.RawPacketCaps)
	}
}
