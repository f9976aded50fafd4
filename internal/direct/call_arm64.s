//go:build linux && cgo && !race && !asan && !msan

#include "textflag.h"
#include "go_asm.h"

// The busy word, and what is read after it, are not to be swapped: a fence on this side would be here. The processor may do so, and is kept
// from it by membarrier(2) on the other side. Go's assembler does not.

// func call(gate *Gate, a uintptr, b unsafe.Pointer) int
//
// C preserves R19 to R29, which are g (R28) and the frame pointer (R29) as well. The assembler keeps the link register on Go's stack.
TEXT ·call(SB), NOSPLIT, $0-32
	MOVD gate+0(FP), R19
	MOVD a+8(FP), R1
	MOVD b+16(FP), R2
	MOVW $1, R3
	MOVW R3, Gate_busy(R19)
	ADD  $Gate_turn, R19, R4
	LDARW (R4), R5
	MOVWU Gate_seen(R19), R6
	CMPW R5, R6
	BNE  refused
	MOVD Gate_level(R19), R4
	MOVWU (R4), R5
	MOVWU Gate_least(R19), R6
	SUBW R6, R5
	MOVWU Gate_span(R19), R6
	CMPW R6, R5
	BHI  refused
	MOVD Gate_object(R19), R0
	MOVD Gate_fn(R19), R9
	MOVD Gate_stack(R19), R10
	MOVD RSP, R20
	MOVD R10, RSP
	BL   (R9)
	MOVD R20, RSP
	MOVD Gate_count(R19), R4
	CBZ  R4, held
	MOVD a+8(FP), R1
	CMPW R1, R0
	BHI  held
	MOVWU R0, R0
	MOVD (R4), R5
	ADD  R0, R5
	STLR R5, (R4) // after what C has stored: who reads the count posts to the places that it says are free
	ADD  $Gate_busy, R19, R4
	STLRW ZR, (R4)
	MOVD R0, ret+24(FP)
	RET
held:
	MOVW R0, R0
	MOVD $const_Held, R1
	ADD  R1, R0
	MOVD R0, ret+24(FP)
	RET
refused:
	ADD  $Gate_busy, R19, R4
	STLRW ZR, (R4)
	MOVD $const_Refused, R0
	MOVD R0, ret+24(FP)
	RET

// func enter(gate *Gate) int
TEXT ·enter(SB), NOSPLIT, $0-16
	MOVD gate+0(FP), R4
	MOVW $1, R3
	MOVW R3, Gate_busy(R4)
	ADD  $Gate_turn, R4, R5
	LDARW (R5), R5
	MOVWU Gate_seen(R4), R6
	CMPW R5, R6
	BNE  refused
	MOVD $1, R0
	MOVD R0, ret+8(FP)
	RET
refused:
	ADD  $Gate_busy, R4, R5
	STLRW ZR, (R5)
	MOVD ZR, ret+8(FP)
	RET
