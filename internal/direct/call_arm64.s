//go:build linux && cgo && !race && !asan && !msan

#include "textflag.h"
#include "go_asm.h"

// The busy word, and what is read after it, are not to be swapped: a fence on this side would be here. The processor may do so, and is kept
// from it by membarrier(2) on the other side. Go's assembler does not.
#define ENTER \
	MOVW $1, R3; \
	MOVW R3, Gate_busy(R19); \
	ADD  $Gate_turn, R19, R4; \
	LDARW (R4), R5; \
	MOVWU Gate_seen(R19), R6; \
	CMPW R5, R6; \
	BNE  refused

#define LEVEL \
	MOVD Gate_level(R19), R4; \
	MOVWU (R4), R5; \
	MOVWU Gate_least(R19), R6; \
	SUBW R6, R5; \
	MOVWU Gate_span(R19), R6; \
	CMPW R6, R5; \
	BHI  refused

// C preserves R19 to R29, which are g (R28) and the frame pointer (R29) as well. The assembler keeps the link register on Go's stack.
#define CALLC \
	MOVD Gate_fn(R19), R9; \
	MOVD Gate_stack(R19), R10; \
	MOVD RSP, R20; \
	MOVD R10, RSP; \
	BL   (R9); \
	MOVD R20, RSP

// After all that was done before, as seen by whoever waits.
#define LEAVE \
	ADD  $Gate_busy, R19, R4; \
	STLRW ZR, (R4)

// func call(gate *Gate, a uintptr, b unsafe.Pointer) int
TEXT ·call(SB), NOSPLIT, $0-32
	MOVD gate+0(FP), R19
	ENTER
	LEVEL
	MOVD Gate_object(R19), R0
	MOVD a+8(FP), R1
	MOVD b+16(FP), R2
	CALLC
	MOVW R0, R0
	MOVD R0, ret+24(FP)
	RET
refused:
	LEAVE
	MOVD $const_Refused, R0
	MOVD R0, ret+24(FP)
	RET

// func Poll(p *Poller, out unsafe.Pointer, n int, other func(p *Poller, out unsafe.Pointer, n int) (int, error)) (got int, err error)
TEXT ·Poll(SB), NOSPLIT, $0-56
	MOVD p+0(FP), R21
	CBZ  R21, other
	MOVD Poller_gate(R21), R19
	CBZ  R19, other
	MOVD n+16(FP), R1
	SUB  $1, R1, R3
	MOVD $0x7fffffff, R4 // C has an int
	CMP  R4, R3
	BHS  other
	ENTER
	LEVEL
	MOVD Gate_object(R19), R0
	MOVD n+16(FP), R1
	MOVD out+8(FP), R2
	CALLC
	CBZW R0, none
	MOVD Gate_count(R19), R4
	CBZ  R4, held
	MOVD n+16(FP), R1
	CMPW R1, R0
	BHI  held
	MOVWU R0, R0
	MOVD (R4), R5
	ADD  R0, R5
	STLR R5, (R4) // after what C has stored: who reads the count posts to the places that it says are free
	LEAVE
	MOVD R0, got+32(FP)
	MOVD ZR, err_itable+40(FP)
	MOVD ZR, err_data+48(FP)
	RET
none:
	LEAVE
	MOVD ZR, got+32(FP)
	MOVD ZR, err_itable+40(FP)
	MOVD ZR, err_data+48(FP)
	RET
held:
	MOVW R0, R0
	MOVD $const_Held, R1
	ADD  R1, R0
	MOVD R0, Poller_result(R21)
	RET  ·pollOther(SB)
refused:
	LEAVE
	MOVD $const_Refused, R0
	MOVD R0, Poller_result(R21)
other:
	RET  ·pollOther(SB)

// func Post(p *Poster, chain *Chain, other func(p *Poster, chain *Chain) (int, error)) (n int, err error)
TEXT ·Post(SB), NOSPLIT, $0-48
	MOVD p+0(FP), R21
	CBZ  R21, other
	MOVD Poster_gate(R21), R19
	CBZ  R19, other
	MOVD chain+8(FP), R23
	CBZ  R23, other
	MOVD Poster_queue(R21), R22
	ENTER
	MOVD Chain_N(R23), R4
	CMP  $1, R4
	BNE  refused
	MOVD Chain_Fits(R23), R4
	MOVD Queue_Takes(R22), R5
	CMP  R5, R4
	BNE  refused
	MOVD Queue_Posted(R22), R4
	MOVD Queue_Limit(R22), R5
	CMP  R5, R4
	BHS  refused
	LEVEL
	MOVD Gate_object(R19), R0
	MOVD Chain_First(R23), R1
	ADD  $Poster_bad, R21, R2
	CALLC
	CBNZW R0, held
	MOVD Poster_bad(R21), R4
	CBNZ R4, held
	MOVD Queue_Posted(R22), R4
	ADD  $1, R4
	MOVD R4, Queue_Posted(R22)
	MOVD Queue_Signalled(R22), R5
	MOVD Queue_Mask(R22), R6
	AND  R5, R6
	MOVD Queue_Ends(R22), R7
	MOVD R4, (R7)(R6<<3) // to be overwritten if it is not signalled
	MOVD Chain_Signal(R23), R6
	MOVD Queue_All(R22), R7
	ORR  R7, R6
	ADD  R6, R5
	MOVD R5, Queue_Signalled(R22)
	LEAVE
	MOVD $1, R0
	MOVD R0, n+24(FP)
	MOVD ZR, err_itable+32(FP)
	MOVD ZR, err_data+40(FP)
	RET
held:
	MOVW R0, R0
	MOVD $const_Held, R1
	ADD  R1, R0
	MOVD R0, Poster_result(R21)
	RET  ·postOther(SB)
refused:
	LEAVE
	MOVD $const_Refused, R0
	MOVD R0, Poster_result(R21)
other:
	RET  ·postOther(SB)

// func enter(gate *Gate) int
TEXT ·enter(SB), NOSPLIT, $0-16
	MOVD gate+0(FP), R19
	ENTER
	MOVD $1, R0
	MOVD R0, ret+8(FP)
	RET
refused:
	LEAVE
	MOVD ZR, ret+8(FP)
	RET
