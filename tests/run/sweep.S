// SPDX-License-Identifier: MIT
/* SWEEPS times a load from each of LINES lines; before it TURNS turns of two instructions, if they are
 * defined. */
	.globl _start
	.bss
	.balign 4096
array:	.skip LINES * 64
	.text
	.balign 64		/* without TURNS 41 bytes: one line */
_start:
#ifdef TURNS
	mov $TURNS, %ecx
1:	dec %ecx
	jnz 1b
#endif
	mov $SWEEPS, %edx
2:	lea array(%rip), %rsi
	mov $LINES, %ecx
3:	mov (%rsi), %rax
	add $64, %rsi
	dec %ecx
	jnz 3b
	dec %edx
	jnz 2b
	mov $60, %eax
	xor %edi, %edi
	syscall
