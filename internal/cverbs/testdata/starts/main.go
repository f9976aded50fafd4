// Command starts lists devices and calls a verb that needs no library. It prints one line: whether there is a library, its path,
// what listing came to.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/goverbs/ibv/internal/cverbs"
)

func main() {
	if next := cverbs.IncRKey(0x1ff); next != 0x100 {
		fmt.Fprintf(os.Stderr, "ibv_inc_rkey(0x1ff) is %#x, want 0x100\n", next)
		os.Exit(1)
	}
	var n int32
	list, err := cverbs.GetDeviceList(&n)
	if list != nil {
		cverbs.FreeDeviceList(list)
	}
	path, _ := cverbs.Loaded()
	fmt.Printf("missing=%t path=%q n=%d err=%v\n", errors.Is(err, cverbs.ErrNoLibrary), path, n, err)
}
