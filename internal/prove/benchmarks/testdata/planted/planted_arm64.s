#include "textflag.h"

// func assembled(x int) int
TEXT ·assembled(SB), NOSPLIT, $0-16
	MOVD x+0(FP), R0
	ADD $5, R0
	MOVD R0, ret+8(FP)
	RET
