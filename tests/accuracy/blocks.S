// SPDX-License-Identifier: MIT
/* Prefetches each line of a block by the instruction PREFETCH, then loads it: BLOCKS of LINES lines. */
	.globl _start
_start:	lea data(%rip), %rsi
	mov $BLOCKS, %ebx
1:	mov %rsi, %rdi
	mov $LINES, %ecx
2:	PREFETCH (%rdi)
	add $64, %rdi
	dec %ecx
	jnz 2b
	mov $LINES, %ecx
3:	mov (%rsi), %rax
	add $64, %rsi
	dec %ecx
	jnz 3b
	dec %ebx
	jnz 1b
	mov $60, %eax
	xor %edi, %edi
	syscall
	.local data
	.comm data, BLOCKS * LINES * 64, 4096
