package ibv

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"unsafe"
)

// wcOf makes a completion whose union holds the four given bytes.
func wcOf(status WCStatus, flags WCFlags, union [4]byte) WC {
	wc := WC{WRID: 7, Status: status, Opcode: IBV_WC_RECV, VendorErr: 0x81, ByteLen: 100, QPNum: 0x11, SrcQP: 5, WCFlags: flags}
	*(*[4]byte)(unsafe.Add(unsafe.Pointer(&wc), 24)) = union // C's offset of imm_data and invalidated_rkey
	return wc
}

func TestWCImmDataAndInvalidatedRKey(t *testing.T) {
	native := *(*uint32)(unsafe.Pointer(&[4]byte{1, 2, 3, 4}))
	tests := []struct {
		name     string
		status   WCStatus
		flags    WCFlags
		imm, inv bool
	}{
		{"neither", IBV_WC_SUCCESS, 0, false, false},
		{"immediate", IBV_WC_SUCCESS, IBV_WC_WITH_IMM, true, false},
		{"immediate and GRH", IBV_WC_SUCCESS, IBV_WC_WITH_IMM | IBV_WC_GRH, true, false},
		{"invalidated", IBV_WC_SUCCESS, IBV_WC_WITH_INV | IBV_WC_IP_CSUM_OK, false, true},
		{"both, which contradicts itself", IBV_WC_SUCCESS, IBV_WC_WITH_IMM | IBV_WC_WITH_INV, false, false},
		{"other flags", IBV_WC_SUCCESS, ^(IBV_WC_WITH_IMM | IBV_WC_WITH_INV), false, false},
		{"immediate, failed", IBV_WC_WR_FLUSH_ERR, IBV_WC_WITH_IMM, false, false},
		{"invalidated, failed", IBV_WC_GENERAL_ERR, IBV_WC_WITH_INV, false, false},
	}
	for _, tt := range tests {
		wc := wcOf(tt.status, tt.flags, [4]byte{1, 2, 3, 4})
		var wantImm, wantInv uint32
		if tt.imm {
			wantImm = 0x01020304 // network order
		}
		if tt.inv {
			wantInv = native
		}
		if v, ok := wc.ImmData(); v != wantImm || ok != tt.imm {
			t.Errorf("%s: ImmData() = %#x, %v, want %#x, %v", tt.name, v, ok, wantImm, tt.imm)
		}
		if v, ok := wc.InvalidatedRKey(); v != wantInv || ok != tt.inv {
			t.Errorf("%s: InvalidatedRKey() = %#x, %v, want %#x, %v", tt.name, v, ok, wantInv, tt.inv)
		}
		if v := wc.RawInvalidatedRKey(); v != native {
			t.Errorf("%s: RawInvalidatedRKey() = %#x, want %#x whatever the flags", tt.name, v, native)
		}
	}
}

func TestWCErr(t *testing.T) {
	good := wcOf(IBV_WC_SUCCESS, 0, [4]byte{})
	if err := good.Err(); err != nil {
		t.Errorf("success: Err() = %v", err)
	}
	bad := wcOf(IBV_WC_RNR_RETRY_EXC_ERR, IBV_WC_WITH_IMM, [4]byte{1, 2, 3, 4})
	err := bad.Err()
	var ce *CompletionError
	if !errors.As(err, &ce) {
		t.Fatalf("Err() = %v (%T), want a *CompletionError", err, err)
	}
	if want := (CompletionError{WRID: 7, Status: IBV_WC_RNR_RETRY_EXC_ERR, QPNum: 0x11, VendorErr: 0x81}); *ce != want {
		t.Errorf("Err() = %+v, want %+v", *ce, want)
	}
	if got, want := err.Error(), "completion of wr_id 0x7 on qp_num 0x11: IBV_WC_RNR_RETRY_EXC_ERR (vendor_err 0x81)"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

func TestCompletionErrorIs(t *testing.T) {
	wc := WC{WRID: 9, Status: IBV_WC_WR_FLUSH_ERR} // status 5 is EIO's number
	err := fmt.Errorf("receive: %w", wc.Err())
	if !errors.Is(err, &CompletionError{Status: IBV_WC_WR_FLUSH_ERR}) {
		t.Error("the same status is not matched")
	}
	for _, other := range []error{&CompletionError{Status: IBV_WC_GENERAL_ERR}, syscall.EIO, syscall.Errno(IBV_WC_WR_FLUSH_ERR), errors.New("x")} {
		if errors.Is(err, other) {
			t.Errorf("%v is matched by %v", err, other)
		}
	}
	if _, isErr := any(wc.Status).(error); isErr {
		t.Error("a status is an error by itself, so it could be taken for an errno")
	}
}

func TestWCIsRecv(t *testing.T) {
	tests := []struct {
		status WCStatus
		opcode WCOpcode
		want   bool
	}{
		{IBV_WC_SUCCESS, IBV_WC_RECV, true},
		{IBV_WC_SUCCESS, IBV_WC_RECV_RDMA_WITH_IMM, true},
		{IBV_WC_SUCCESS, IBV_WC_TM_RECV, true},
		{IBV_WC_SUCCESS, IBV_WC_TM_NO_TAG, true},
		{IBV_WC_SUCCESS, IBV_WC_TM_ADD, false},
		{IBV_WC_SUCCESS, IBV_WC_TM_SYNC, false},
		{IBV_WC_SUCCESS, IBV_WC_DRIVER2, false},
		{IBV_WC_SUCCESS, IBV_WC_SEND, false},
		{IBV_WC_SUCCESS, IBV_WC_ATOMIC_WRITE, false},
		{IBV_WC_WR_FLUSH_ERR, IBV_WC_RECV, false},
	}
	for _, tt := range tests {
		wc := WC{Status: tt.status, Opcode: tt.opcode}
		if got := wc.IsRecv(); got != tt.want {
			t.Errorf("%v, opcode %d: IsRecv() = %v, want %v", tt.status, tt.opcode, got, tt.want)
		}
	}
}

// These run once per completion.
func TestWCMethodsAllocateNothing(t *testing.T) {
	wc := wcOf(IBV_WC_SUCCESS, IBV_WC_WITH_IMM, [4]byte{1, 2, 3, 4})
	n := testing.AllocsPerRun(100, func() {
		imm, _ := wc.ImmData()
		key, _ := wc.InvalidatedRKey()
		if wc.Err() != nil || !wc.IsRecv() || imm == 0 || key != 0 {
			t.Fatal("wrong result")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations per completion, want 0", n)
	}
}
