//go:build linux && cgo && !race && !asan && !msan

#include "textflag.h"
#include "go_asm.h"

// The busy word, and what is read after it, are not to be swapped: a fence on this side would be here. The processor may do so, and is kept
// from it by membarrier(2) on the other side. Go's assembler does not.
#define ENTER \
	MOVL $1, Gate_busy(BX); \
	MOVL Gate_turn(BX), AX; \
	CMPL AX, Gate_seen(BX); \
	JNE  refused

#define LEVEL \
	MOVQ Gate_level(BX), CX; \
	MOVL (CX), AX; \
	SUBL Gate_least(BX), AX; \
	CMPL AX, Gate_span(BX); \
	JHI  refused

// C preserves BX, BP and R12 to R15. There is no frame: Go's frame pointer stays what it is. The direction flag is clear, always.
#define CALLC \
	MOVQ SP, R12; \
	MOVQ Gate_stack(BX), SP; \
	CALL Gate_fn(BX); \
	MOVQ R12, SP

// func call(gate *Gate, a uintptr, b unsafe.Pointer) int
TEXT ·call(SB), NOSPLIT|NOFRAME, $0-32
	MOVQ gate+0(FP), BX
	ENTER
	LEVEL
	MOVQ Gate_object(BX), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	CALLC
	MOVLQSX AX, AX
	MOVQ AX, ret+24(FP)
	RET
refused:
	MOVL $0, Gate_busy(BX)
	MOVQ $const_Refused, AX
	MOVQ AX, ret+24(FP)
	RET

// func Poll(p *Poller, out unsafe.Pointer, n int, other func(p *Poller, out unsafe.Pointer, n int) (int, error)) (got int, err error)
TEXT ·Poll(SB), NOSPLIT|NOFRAME, $0-56
	MOVQ p+0(FP), R13
	TESTQ R13, R13
	JEQ  other
	MOVQ Poller_gate(R13), BX
	TESTQ BX, BX
	JEQ  other
	MOVQ n+16(FP), SI
	LEAQ -1(SI), AX
	CMPQ AX, $0x7fffffff // C has an int
	JCC  other
	ENTER
	LEVEL
	MOVQ Gate_object(BX), DI
	MOVQ out+8(FP), DX
	CALLC
	XORPS X0, X0
	TESTL AX, AX
	JNE  some
	MOVL $0, Gate_busy(BX)
	MOVQ $0, got+32(FP)
	MOVUPS X0, err_itable+40(FP)
	RET
some:
	MOVQ Gate_count(BX), CX
	TESTQ CX, CX
	JEQ  held
	MOVQ n+16(FP), SI
	CMPL AX, SI
	JHI  held
	MOVL AX, AX // without what C has left in the upper half
	ADDQ AX, (CX)
	MOVL $0, Gate_busy(BX)
	MOVQ AX, got+32(FP)
	MOVUPS X0, err_itable+40(FP)
	RET
held:
	MOVLQSX AX, AX
	MOVQ $const_Held, CX
	ADDQ CX, AX
	MOVQ AX, Poller_result(R13)
	RET  ·pollOther(SB)
refused:
	MOVL $0, Gate_busy(BX)
	MOVQ $const_Refused, AX
	MOVQ AX, Poller_result(R13)
other:
	RET  ·pollOther(SB)

// func Post(p *Poster, chain *Chain, other func(p *Poster, chain *Chain) (int, error)) (n int, err error)
TEXT ·Post(SB), NOSPLIT|NOFRAME, $0-48
	MOVQ p+0(FP), R13
	TESTQ R13, R13
	JEQ  other
	MOVQ Poster_gate(R13), BX
	TESTQ BX, BX
	JEQ  other
	MOVQ chain+8(FP), AX
	TESTQ AX, AX
	JEQ  other
	MOVQ Poster_queue(R13), R15
	ENTER
	MOVQ chain+8(FP), CX
	CMPQ Chain_N(CX), $1
	JNE  refused
	MOVQ Chain_Fits(CX), AX
	CMPQ AX, Queue_Takes(R15)
	JNE  refused
	MOVQ Queue_Posted(R15), AX
	CMPQ AX, Queue_Limit(R15)
	JCC  refused
	MOVQ Chain_First(CX), SI
	LEVEL
	MOVQ Gate_object(BX), DI
	LEAQ Poster_bad(R13), DX
	CALLC
	TESTL AX, AX
	JNE  held
	CMPQ Poster_bad(R13), $0
	JNE  held
	MOVQ Queue_Posted(R15), AX
	INCQ AX
	MOVQ AX, Queue_Posted(R15)
	MOVQ Queue_Signalled(R15), CX
	MOVQ Queue_Mask(R15), DX
	ANDQ CX, DX
	MOVQ Queue_Ends(R15), SI
	MOVQ AX, (SI)(DX*8) // to be overwritten if it is not signalled
	MOVQ chain+8(FP), DX
	MOVQ Chain_Signal(DX), DX
	ORQ  Queue_All(R15), DX
	ADDQ DX, CX
	MOVQ CX, Queue_Signalled(R15)
	MOVL $0, Gate_busy(BX)
	XORPS X0, X0
	MOVQ $1, n+24(FP)
	MOVUPS X0, err_itable+32(FP)
	RET
held:
	MOVLQSX AX, AX
	MOVQ $const_Held, CX
	ADDQ CX, AX
	MOVQ AX, Poster_result(R13)
	RET  ·postOther(SB)
refused:
	MOVL $0, Gate_busy(BX)
	MOVQ $const_Refused, AX
	MOVQ AX, Poster_result(R13)
other:
	RET  ·postOther(SB)

// func enter(gate *Gate) int
TEXT ·enter(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ gate+0(FP), BX
	ENTER
	MOVQ $1, ret+8(FP)
	RET
refused:
	MOVL $0, Gate_busy(BX)
	MOVQ $0, ret+8(FP)
	RET
