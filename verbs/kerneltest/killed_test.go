//go:build kernel

package kerneltest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
)

const peerEnv = "KERNELTEST_PEER" // set in the environment of the process that is the peer

var peerAttr = verbs.ConnectAttr{Timeout: new(16), RetryCnt: new(2)} // 0.3 s, three times

// A victim is another process of this program, which runs TestPeerProcess.
type victim struct {
	cmd    *exec.Cmd
	out    *bufio.Reader
	in     io.Writer
	remote verbs.Endpoint
	addr   uint64
	rkey   uint32
}

func startPeer(t *testing.T) *victim {
	t.Helper()
	p := &victim{cmd: exec.Command(must(os.Executable()), "-test.run=^TestPeerProcess$", "-device="+*device)}
	p.cmd.Env = append(os.Environ(), peerEnv+"=1")
	p.cmd.Stderr = os.Stderr
	p.out = bufio.NewReader(must(p.cmd.StdoutPipe()))
	p.in = must(p.cmd.StdinPipe())
	ok(t, p.cmd.Start())
	t.Cleanup(func() { p.kill() })
	var text string
	if _, err := fmt.Fscanln(p.out, &text, &p.addr, &p.rkey); err != nil {
		t.Fatal(err)
	}
	p.remote = must(verbs.ParseEndpoint(text))
	return p
}

// kill ends the process, which gets no chance to close anything.
func (p *victim) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// TestPeerProcess is the peer. It says who it is, is told who the other one is, connects, says so, and then does nothing any more.
func TestPeerProcess(t *testing.T) {
	if os.Getenv(peerEnv) == "" {
		t.Skip("only in the process of a peer")
	}
	e := newSide(t, closing(t, must(open(t).AllocPD())), setup{})
	attr := patient(peerAttr)
	ok(t, e.qp.Init(attr))
	fmt.Println(must(e.qp.Endpoint()), e.mr.Addr(), e.mr.RKey())
	var text string
	_ = must(fmt.Scanln(&text))
	ok(t, e.qp.Connect(must(verbs.ParseEndpoint(text)), attr))
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// A process that is killed takes its QP with it. The requests that wait for it end, one with its retries used up and the others flushed,
// receives among them, and who waits for them is woken.
func TestPeerIsKilled(t *testing.T) {
	a := newSide(t, closing(t, must(open(t).AllocPD())), setup{channels: true})
	attr := patient(peerAttr)
	ok(t, a.qp.Init(attr))
	p := startPeer(t)
	_ = must(fmt.Fprintln(p.in, must(a.qp.Endpoint())))
	ok(t, a.qp.Connect(p.remote, attr))
	if line := must(p.out.ReadString('\n')); line != "ready\n" {
		t.Fatal(line)
	}

	wr := verbs.SendWR{WRID: 1, Opcode: ibv.IBV_WR_RDMA_WRITE, SGList: a.part(0, 8), RemoteAddr: p.addr, RKey: p.rkey, Flags: ibv.IBV_SEND_SIGNALED}
	ok(t, a.qp.Send(wr))
	done(t, a.scq, 1, ibv.IBV_WC_RDMA_WRITE)
	const n = 5
	for i := range uint64(n) {
		ok(t, a.qp.Recv(verbs.RecvWR{WRID: i, SGList: a.part(0, 8)}))
		ok(t, a.qp.Send(verbs.SendWR{WRID: i, Opcode: ibv.IBV_WR_SEND, SGList: a.part(0, 8)})) // there is no receive, for which it waits
	}
	time.Sleep(50 * time.Millisecond)
	none(t, a.scq)
	p.kill()
	for i := range uint64(n) {
		want := flushed
		if i == 0 {
			want = end{right: ibv.IBV_WC_RETRY_EXC_ERR}
		}
		waitEnd(t, a.scq, i, want)
	}
	for i := range uint64(n) {
		waitEnd(t, a.rcq, i, flushed)
	}
	wantState(t, a.qp, ibv.IBV_QPS_ERR)
}

func waitEnd(t *testing.T, cq *verbs.CQ, wrid uint64, want end) {
	t.Helper()
	wc := make([]ibv.WC, 1)
	if _, err := cq.Wait(within(t, patience), wc); err != nil || wc[0].WRID != wrid || !want.is(wc[0].Status) {
		t.Errorf("%v: %d has ended with %v, want %d with %v", err, wc[0].WRID, wc[0].Status, wrid, want.right)
	}
}
