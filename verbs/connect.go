package verbs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/internal/cverbs"
)

// ConnectAttr says how to connect. Zero and nil stand for what each comment says; new(0) is the number 0 where nil is something else.
//
// Port and GIDIndex count the first time that one of Init, Endpoint (which has their defaults) and Connect is called; later ones have to be the
// same, or zero and nil. PKeyIndex and Access count in Init, and in Connect: there, zero means what Init or Modify has set. All others
// count in Connect only.
type ConnectAttr struct {
	// The port to go through; 0 is 1, the first.
	Port int
	// Which entry of the port's GID table is the own address; nil is the one that Context.SelectGID chooses.
	GIDIndex *int
	// Which entry of the port's table of partition keys to use.
	PKeyIndex uint16
	// The largest payload of a packet; 0 is the port's active MTU, which has to be the same on the other side.
	MTU ibv.MTU
	// What the other side may do; 0 is IBV_ACCESS_LOCAL_WRITE, IBV_ACCESS_REMOTE_WRITE and IBV_ACCESS_REMOTE_READ.
	Access ibv.AccessFlags
	// How long to wait for an acknowledgement: 4.096 µs times two to the power of this, 0 being forever; nil is 14: 67 ms.
	Timeout *int
	// How often to resend without an acknowledgement, 0 to 7; nil is 7.
	RetryCnt *int
	// How often to resend when the other side has no receive posted, 0 to 6, and 7 without end; nil is 7.
	RNRRetry *int
	// How long the other side shall wait before it sends again when no receive is posted, in the code of ibv_qp_attr.min_rnr_timer, 0
	// being 655.36 ms; nil is 12: 0.64 ms.
	MinRNRTimer *int
	// How many own RDMA reads and atomics may be under way, which the other side has to allow by its MaxDestRdAtomic; nil is the least of
	// 16 and what the device can do, for both.
	MaxRdAtomic, MaxDestRdAtomic *int
	// The service level, and the traffic class of routed packets.
	SL, TrafficClass uint8
	// How many routers a packet may pass; 0 is 64.
	HopLimit uint8
}

// local is the own side of a connection, which is chosen once.
type local struct {
	known    bool // the following
	port     int
	gidIndex int
	attr     *ibv.PortAttr
	endpoint Endpoint
}

// defaultAccess is what the other side may do if nothing is said.
const defaultAccess = ibv.IBV_ACCESS_LOCAL_WRITE | ibv.IBV_ACCESS_REMOTE_WRITE | ibv.IBV_ACCESS_REMOTE_READ

// Endpoint is what the other side needs to connect to this QP. It is for port 1 and the GID that Context.SelectGID chooses there, unless
// Init or Connect have been called before, and remains the same for the life of the QP, its random PSN as well.
func (q *QP) Endpoint() (Endpoint, error) {
	if err := q.beginConnect(); err != nil {
		return Endpoint{}, err
	}
	defer q.endConnect()
	err := q.choose(ConnectAttr{})
	return q.local.endpoint, err
}

// beginConnect begins a call that is about connecting, and needs endConnect. An RSS QP has nothing to connect.
func (q *QP) beginConnect() error {
	if err := begin(cverbs.VerbModifyQP, q.core()); err != nil {
		return err
	}
	if q.table != nil {
		defer end(q.object)
		return refused(cverbs.VerbModifyQP, q.name, syscall.EINVAL, "a QP with an indirection table has no queues")
	}
	q.modify.Lock()
	return nil
}

func (q *QP) endConnect() {
	q.modify.Unlock()
	end(q.object)
}

// choose makes the own side known. What was asked for later has to be the same.
func (q *QP) choose(a ConnectAttr) error {
	if q.local.known {
		return q.chosen(a)
	}
	l := local{known: true, port: a.Port}
	if l.port == 0 {
		l.port = 1
	}
	c, err := q.pd.ctx, error(nil)
	if l.attr, err = c.QueryPort(l.port); err != nil {
		return err
	}
	var gid ibv.GID
	switch {
	case a.GIDIndex != nil:
		l.gidIndex = *a.GIDIndex
		if gid, err = c.QueryGID(l.port, l.gidIndex); err == nil && gid.IsZero() && ethernet(l.attr) {
			err = refused(cverbs.VerbModifyQP, q.name, syscall.EINVAL, fmt.Sprintf("GID index %d of port %d is not in use", l.gidIndex, l.port))
		}
	default:
		l.gidIndex, gid, err = c.SelectGID(l.port)
		if err != nil && !ethernet(l.attr) && l.attr.LID != 0 {
			err = nil // InfiniBand does without
		}
	}
	if err != nil {
		return err
	}
	l.endpoint = Endpoint{LID: l.attr.LID, QPNum: q.raw.QPNum, PSN: rand.Uint32() & max24, GID: gid}
	q.local = l
	return nil
}

func ethernet(port *ibv.PortAttr) bool { return port.LinkLayer == uint8(ibv.IBV_LINK_LAYER_ETHERNET) }

// chosen refuses attributes other than those that the other side may have been told.
func (q *QP) chosen(a ConnectAttr) error {
	switch l := &q.local; {
	case a.Port != 0 && a.Port != l.port:
		return refused(cverbs.VerbModifyQP, q.name, syscall.EINVAL, fmt.Sprintf("the endpoint is on port %d, and not on port %d: call Init before Endpoint", l.port, a.Port))
	case a.GIDIndex != nil && *a.GIDIndex != l.gidIndex:
		return refused(cverbs.VerbModifyQP, q.name, syscall.EINVAL, fmt.Sprintf("the endpoint has GID index %d, and not %d: call Init before Endpoint", l.gidIndex, *a.GIDIndex))
	}
	return nil
}

// Init moves a QP of type RC from IBV_QPS_RESET to IBV_QPS_INIT, where receives can be posted, and chooses what Endpoint then says. Connect
// does so itself. The first message may arrive as soon as both sides have connected, so receives are best posted before.
func (q *QP) Init(attr ConnectAttr) error {
	if err := q.beginConnect(); err != nil {
		return err
	}
	defer q.endConnect()
	if s := qpState(q.raw); s != ibv.IBV_QPS_RESET {
		return refused(cverbs.VerbModifyQP, q.name, syscall.EINVAL, fmt.Sprintf("the QP is in %v, and Init begins at IBV_QPS_RESET", s))
	}
	return q.toInit(&attr)
}

func (q *QP) toInit(a *ConnectAttr) error {
	if err := q.choose(*a); err != nil {
		return at(err, "from IBV_QPS_RESET to IBV_QPS_INIT")
	}
	return q.modifyLocked(&ibv.QPAttr{
		QPState: ibv.IBV_QPS_INIT, PKeyIndex: a.PKeyIndex, PortNum: uint8(q.local.port), QPAccessFlags: a.access(),
	}, ibv.IBV_QP_STATE|ibv.IBV_QP_PKEY_INDEX|ibv.IBV_QP_PORT|ibv.IBV_QP_ACCESS_FLAGS)
}

// access is what the other side may do.
func (a *ConnectAttr) access() ibv.AccessFlags {
	if a.Access == 0 {
		return defaultAccess
	}
	return a.Access
}

// Connect connects a QP of type RC with another one, which has to do the same: from IBV_QPS_RESET, or the state that it is in by then, through
// IBV_QPS_INIT and IBV_QPS_RTR to IBV_QPS_RTS. The other side may be sent to once both are there. Nothing is sent to it by this, so that it is
// not known whether it exists.
//
// An error says which step has failed; the QP stays in the state that it had reached. A QP that is connected, or in IBV_QPS_ERR, has to be
// moved to IBV_QPS_RESET first.
func (q *QP) Connect(remote Endpoint, attr ConnectAttr) error {
	if err := q.beginConnect(); err != nil {
		return err
	}
	defer q.endConnect()
	if err := remote.check(); err != nil {
		return &Error{Verb: cverbs.VerbModifyQP.String(), Object: q.name, Errno: syscall.EINVAL, Err: err}
	}
	first := qpState(q.raw)
	if first > ibv.IBV_QPS_RTR {
		return refused(cverbs.VerbModifyQP, q.name, syscall.EINVAL, fmt.Sprintf("the QP is in %v: move it to IBV_QPS_RESET first", first))
	}
	if err := q.choose(attr); err != nil {
		return at(err, "before the first step")
	}
	n, err := q.numbers(&attr)
	if err != nil {
		return err
	}
	if first <= ibv.IBV_QPS_INIT {
		if err := q.toRTR(first, &remote, &attr, n); err != nil {
			return err
		}
	}
	return q.toRTS(n)
}

// at says at which step an error has occurred, in front of its hint.
func at(err error, step string) error {
	var e *Error
	if errors.As(err, &e) {
		e.Hint = strings.TrimSuffix(step+": "+e.Hint, ": ")
	}
	return err
}

// toRTR makes the QP ready to receive, from RESET or INIT.
func (q *QP) toRTR(first ibv.QPState, remote *Endpoint, a *ConnectAttr, n *connectNumbers) error {
	ah, err := q.path(remote, a)
	if err != nil {
		return at(err, "before the first step")
	}
	if first == ibv.IBV_QPS_RESET {
		if err := q.toInit(a); err != nil {
			return err
		}
		q.defaults = true
	}
	attr := &ibv.QPAttr{
		QPState: ibv.IBV_QPS_RTR, AHAttr: ah, PathMTU: n.mtu, DestQPNum: remote.QPNum, RQPSN: remote.PSN,
		MaxDestRdAtomic: n.maxDestRdAtomic, MinRNRTimer: n.minRNRTimer, QPAccessFlags: a.access(), PKeyIndex: a.PKeyIndex,
	}
	mask := ibv.IBV_QP_STATE | ibv.IBV_QP_AV | ibv.IBV_QP_PATH_MTU | ibv.IBV_QP_DEST_QPN | ibv.IBV_QP_RQ_PSN | ibv.IBV_QP_MAX_DEST_RD_ATOMIC | ibv.IBV_QP_MIN_RNR_TIMER
	// These two are optional here. An earlier Connect that has failed may have set others.
	if a.Access != 0 || q.defaults {
		mask |= ibv.IBV_QP_ACCESS_FLAGS
	}
	if a.PKeyIndex != 0 || q.defaults {
		mask |= ibv.IBV_QP_PKEY_INDEX
	}
	return q.modifyLocked(attr, mask)
}

// toRTS makes the QP ready to send.
func (q *QP) toRTS(n *connectNumbers) error {
	return q.modifyLocked(&ibv.QPAttr{
		QPState: ibv.IBV_QPS_RTS, SQPSN: q.local.endpoint.PSN, Timeout: n.timeout, RetryCnt: n.retryCnt, RNRRetry: n.rnrRetry,
		MaxRdAtomic: n.maxRdAtomic,
	}, ibv.IBV_QP_STATE|ibv.IBV_QP_SQ_PSN|ibv.IBV_QP_TIMEOUT|ibv.IBV_QP_RETRY_CNT|ibv.IBV_QP_RNR_RETRY|ibv.IBV_QP_MAX_QP_RD_ATOMIC)
}

// path is the way to the other side: by GID on Ethernet, where the port or the other side wants it, or if the caller has chosen a GID.
func (q *QP) path(remote *Endpoint, a *ConnectAttr) (ibv.AHAttr, error) {
	r := ibv.AHAttr{DLID: remote.LID, SL: a.SL, PortNum: uint8(q.local.port)}
	port := q.local.attr
	global := ethernet(port) || port.Flags&uint8(ibv.IBV_QPF_GRH_REQUIRED) != 0 || remote.LID == 0
	if global && remote.GID.IsZero() {
		return r, refused(cverbs.VerbModifyQP, q.name, syscall.EINVAL, "the other side has no GID, and this port needs one")
	}
	if global || a.GIDIndex != nil && !remote.GID.IsZero() {
		r.IsGlobal = 1
		r.GRH = ibv.GlobalRoute{Dgid: remote.GID, SgidIndex: uint8(q.local.gidIndex), HopLimit: a.HopLimit, TrafficClass: a.TrafficClass}
		if a.HopLimit == 0 {
			r.GRH.HopLimit = 64
		}
	}
	return r, nil
}
