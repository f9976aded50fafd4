//go:build linux && cgo && !race && !asan && !msan

#include "textflag.h"
#include "go_asm.h"

// The busy word, and what is read after it, are not to be swapped: a fence on this side would be here. The processor may do so, and is kept
// from it by membarrier(2) on the other side. Go's assembler does not.
#define ENTER \
	MOVQ gate+0(FP), BX; \
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
	LEVEL; \
	MOVQ Gate_object(BX), DI; \
	MOVQ a+8(FP), SI; \
	MOVQ b+16(FP), DX; \
	MOVQ SP, R12; \
	MOVQ Gate_stack(BX), SP; \
	CALL Gate_fn(BX); \
	MOVQ R12, SP

#define REFUSED \
	MOVL $0, Gate_busy(BX); \
	MOVQ $const_Refused, AX; \
	MOVQ AX, ret+24(FP); \
	RET

// func call(gate *Gate, a uintptr, b unsafe.Pointer) int
TEXT ·call(SB), NOSPLIT|NOFRAME, $0-32
	ENTER
	CALLC
	MOVLQSX AX, AX
	MOVQ AX, ret+24(FP)
	RET
refused:
	REFUSED

// func callCounting(gate *Gate, a uintptr, b unsafe.Pointer) int
TEXT ·callCounting(SB), NOSPLIT|NOFRAME, $0-32
	ENTER
	CALLC
	TESTL AX, AX
	JNE  some
	MOVL $0, Gate_busy(BX)
	MOVQ $0, ret+24(FP)
	RET
some:
	MOVQ Gate_count(BX), CX
	TESTQ CX, CX
	JEQ  held
	MOVQ a+8(FP), SI
	CMPL AX, SI
	JHI  held
	MOVL AX, AX // without what C has left in the upper half
	ADDQ AX, (CX)
	MOVL $0, Gate_busy(BX)
	MOVQ AX, ret+24(FP)
	RET
held:
	MOVLQSX AX, AX
	MOVQ $const_Held, CX
	ADDQ CX, AX
	MOVQ AX, ret+24(FP)
	RET
refused:
	REFUSED

// func post(gate *Gate, chain *Chain)
TEXT ·post(SB), NOSPLIT|NOFRAME, $0-16
	ENTER
	MOVQ chain+8(FP), R13
	MOVQ Gate_queue(BX), R15
	CMPQ Chain_N(R13), $1
	JNE  refused
	MOVQ Chain_Fits(R13), AX
	CMPQ AX, Queue_Takes(R15)
	JNE  refused
	MOVQ Queue_Posted(R15), AX
	CMPQ AX, Queue_Limit(R15)
	JCC  refused
	LEVEL
	MOVQ Gate_object(BX), DI
	MOVQ Chain_First(R13), SI
	LEAQ Gate_bad(BX), DX
	MOVQ SP, R12
	MOVQ Gate_stack(BX), SP
	CALL Gate_fn(BX)
	MOVQ R12, SP
	TESTL AX, AX
	JNE  held
	CMPQ Gate_bad(BX), $0
	JNE  held
	MOVQ Queue_Posted(R15), AX
	INCQ AX
	MOVQ AX, Queue_Posted(R15)
	MOVQ Queue_Signalled(R15), CX
	MOVQ Queue_Mask(R15), DX
	ANDQ CX, DX
	MOVQ Queue_Ends(R15), SI
	MOVQ AX, (SI)(DX*8) // to be overwritten if it is not signalled
	MOVQ Chain_Signal(R13), DX
	ORQ  Queue_All(R15), DX
	ADDQ DX, CX
	MOVQ CX, Queue_Signalled(R15)
	MOVL $0, Gate_busy(BX)
	RET
held:
	MOVLQSX AX, AX
	MOVQ $const_Held, CX
	ADDQ CX, AX
	MOVQ AX, Gate_result(BX)
	RET
refused:
	MOVL $0, Gate_busy(BX)
	MOVQ $const_Refused, AX
	MOVQ AX, Gate_result(BX)
	RET

// func enter(gate *Gate) int
TEXT ·enter(SB), NOSPLIT|NOFRAME, $0-16
	ENTER
	MOVQ $1, ret+8(FP)
	RET
refused:
	MOVL $0, Gate_busy(BX)
	MOVQ $0, ret+8(FP)
	RET
