// SPDX-License-Identifier: MIT
/* TURNS turns of two instructions, if there are any, and three instructions that end the program. */
	.globl _start
_start:
#if TURNS
	mov $TURNS, %ecx
1:	dec %ecx
	jnz 1b
#endif
	mov $60, %eax
	xor %edi, %edi
	syscall
