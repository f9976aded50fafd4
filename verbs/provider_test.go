package verbs

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goverbs/ibv/internal/cverbs"
)

// testFunction is the address of a function of this program.
func testFunction() uintptr { return reflect.ValueOf(testFunction).Pointer() }

// Files as Debian, Red Hat and rdma-core's own build name them.
func TestProviderIn(t *testing.T) {
	for file, want := range map[string]string{
		"/usr/lib/x86_64-linux-gnu/libmlx5.so.1.22.44.0":             "mlx5",
		"/usr/lib64/libmlx4.so.1.0.61.0":                             "mlx4",
		"/usr/lib/x86_64-linux-gnu/libefa.so.1":                      "efa",
		"/usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so":     "rxe",
		"/opt/rdma-core/build/lib/libibverbs/libsiw-rdmav65.so":      "siw",
		"/usr/lib/x86_64-linux-gnu/libibverbs/libbnxt_re-rdmav34.so": "bnxt_re",
		"/usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.44.0":          "ibverbs",
		"/home/user/program":                                         "",
		"/tmp/mlx5.so":                                               "",
		"[vdso]":                                                     "",
		"":                                                           "",
	} {
		if got := providerIn(file); got != want {
			t.Errorf("%s is of %q, want %q", file, got, want)
		}
	}
}

func TestUnprompt(t *testing.T) {
	for _, c := range []struct {
		verb   cverbs.Verb
		file   string
		stalls []string
		want   string
	}{
		{cverbs.VerbPollCQ, "/lib/libmlx5.so.1", nil, ""},
		{cverbs.VerbPostSend, "/lib/libmlx5.so.1", nil, ""},
		{cverbs.VerbPostRecv, "/lib/libmlx5.so.1", nil, ""},
		{cverbs.VerbPollCQ, "/lib/libmlx5.so.1", []string{"MLX5_STALL_CQ_POLL=1"}, "MLX5_STALL_CQ_POLL=1 was set when the context was opened: polls wait"},
		{cverbs.VerbPollCQ, "/lib/libmlx4.so.1", []string{"MLX5_STALL_CQ_POLL=1"}, ""},
		{cverbs.VerbPollCQ, "/lib/librxe-rdmav34.so", nil, ""},
		{cverbs.VerbPostRecv, "/lib/librxe-rdmav34.so", nil, ""},
		{cverbs.VerbPostSend, "/lib/librxe-rdmav34.so", nil, "post_send of rxe enters the kernel"},
		{cverbs.VerbPostSend, "/lib/libsiw-rdmav34.so", nil, "post_send of siw enters the kernel"},
		{cverbs.VerbPollCQ, "/lib/libcxgb4-rdmav34.so", nil, "not known that poll_cq in /lib/libcxgb4-rdmav34.so returns at once"},
		{cverbs.VerbPollCQ, "/lib/libibverbs.so.1", nil, "not known"},
	} {
		if got := unprompt(c.verb, c.file, c.stalls); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%v of %s: %q, want %q", c.verb, c.file, got, c.want)
		}
	}
}

func TestStalls(t *testing.T) {
	for name := range stalling {
		t.Setenv(name, "0")
	}
	if got := stalls(); got != nil {
		t.Error(got)
	}
	t.Setenv("MLX5_STALL_NUM_LOOP", "-1")
	t.Setenv("MLX5_FREEZE_ON_ERROR_CQE", "1")
	t.Setenv("MLX5_SHUT_UP_BF", "1") // how doorbells are rung
	if got := stalls(); !slices.Equal(got, []string{"MLX5_FREEZE_ON_ERROR_CQE=1", "MLX5_STALL_NUM_LOOP=-1"}) {
		t.Error(got)
	}
}
