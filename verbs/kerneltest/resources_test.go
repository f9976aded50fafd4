//go:build kernel

package kerneltest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// resources is the kernel's count of the objects that the device has, of all processes: "0: rxe0: pd 1 cq 1 qp 1 ...".
func resources() string {
	out, err := exec.Command("rdma", "resource", "show", *device).CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%v: %s", err, out)
	}
	return string(out)
}

// TestMain looks whether the tests leave anything with the kernel. Of hardware it cannot tell: others may use it, too.
func TestMain(m *testing.M) {
	flag.Parse()
	before := resources()
	status := m.Run()
	after := resources()
	for end := time.Now().Add(5 * time.Second); which() == rxe && after != before && time.Now().Before(end); after = resources() {
		time.Sleep(50 * time.Millisecond) // what a process has left is cleared up behind its back
	}
	if which() == rxe && after != before && os.Getenv(peerEnv) == "" {
		fmt.Printf("FAIL: objects before: %safter: %s", before, after)
		status = max(status, 1)
	}
	if testing.Verbose() {
		fmt.Print("objects before: ", before, "after: ", after)
	}
	os.Exit(status)
}
