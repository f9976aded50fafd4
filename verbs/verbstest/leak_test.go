//go:build linux && cgo

package verbstest_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/goverbs/ibv"
	"github.com/goverbs/ibv/verbs"
	"github.com/goverbs/ibv/verbs/verbstest"
)

// lost makes objects and loses their handles.
func lost(ctx *verbs.Context) {
	pd := verbstest.Must(ctx.AllocPD())
	verbstest.Must(pd.AllocMR(4096, ibv.IBV_ACCESS_LOCAL_WRITE))
	channel := verbstest.Must(ctx.CreateCompChannel())
	cq := verbstest.Must(ctx.CreateCQ(verbs.CQAttr{CQE: 1, Channel: channel}))
	verbstest.Must(pd.CreateQP(verbs.QPAttr{SendCQ: cq, RecvCQ: cq}))
	wq := verbstest.Must(ctx.CreateWQ(verbs.WQAttr{PD: pd, CQ: cq, MaxWR: 1}))
	verbstest.Must(ctx.CreateRWQIndTable(wq))
}

// What is left is told in an order in which it can be closed, apart from what still has a handle, and from where it was made.
func TestLeakReport(t *testing.T) {
	d := verbstest.Must(verbstest.Open(verbstest.Config{Name: "leaky"}))
	ctx := verbstest.Must(d.Open())
	lost(ctx)
	for end := time.Now().Add(10 * time.Second); len(d.Leaks()) < 7 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		runtime.GC()
	}
	report := d.Close().Error()
	first, rest, _ := strings.Cut(report, "\n")
	if !strings.HasPrefix(first, "verbstest: close leaky: there are still 1 context, 1 PD, ") || !strings.HasSuffix(first, ": device or resource busy") {
		t.Error(first)
	}
	at := 0
	for _, want := range []string{
		"still open, and not known to be lost: 1 context\n", "closed qp 0x", "closed rwq_ind_table 1 on leaky", "closed wq 0x", "closed cq 1 on leaky",
		"closed channel 1 on leaky", "closed mr 1 on leaky", "closed pd 1 on leaky",
	} {
		i := strings.Index(rest, want)
		if i < at {
			t.Errorf("%q is not there, or too early", want)
		}
		at = i
	}
	if t.Failed() || strings.Contains(rest, "debug.Stack") || strings.Count(rest, "verbstest_test.lost(") != 7 {
		t.Error(rest)
	}
	runtime.KeepAlive(ctx)
}

// A context is called one there, since its name elsewhere is the device's.
func TestLeakReportNamesContexts(t *testing.T) {
	d := verbstest.Must(verbstest.Open(verbstest.Config{Name: "cq 1"}))
	func() { verbstest.Must(d.Open()) }()
	for end := time.Now().Add(10 * time.Second); len(d.Leaks()) < 1 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		runtime.GC()
	}
	if report := d.Close().Error(); !strings.Contains(report, "\nnobody has closed context of cq 1, ") || strings.Contains(report, "still open") {
		t.Error(report)
	}
}
