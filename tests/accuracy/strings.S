// SPDX-License-Identifier: MIT
/* A turn copies 0 to 299 bytes by one instruction, which is alone in its block where the loop leads
 * to it, and clears 3 times 40. */
	.globl _start
_start:	cld
	mov $3000, %ebx
	xor %ebp, %ebp
1:	lea from(%rip), %rsi
	lea to(%rip), %rdi
	mov %ebp, %ecx
	rep movsb
	inc %ebp
	cmp $300, %ebp
	jne 2f
	xor %ebp, %ebp
2:	mov $3, %edx
	xor %eax, %eax
	lea to(%rip), %rdi
	mov $40, %ecx
	jmp 3f
4:	mov $40, %ecx
3:	rep stosb
	dec %edx
	jnz 4b
	dec %ebx
	jnz 1b
	mov $60, %eax
	xor %edi, %edi
	syscall
	.lcomm from, 4096
	.lcomm to, 4096
