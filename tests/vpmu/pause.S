// SPDX-License-Identifier: MIT
/* Executes loops of 1000, 500 and 300 turns, the first and the last in a pause of the profile. */
	.globl _start
_start:	mov $2, %eax		# open
	lea device(%rip), %rdi
	mov $2, %esi
	syscall
	mov %eax, %r12d
	lea one(%rip), %rdx
	call pause
	mov $1000, %ecx
	call loop
	lea none(%rip), %rdx
	call pause
	mov $500, %ecx
	call loop
	lea one(%rip), %rdx
	call pause
	mov $300, %ecx
	call loop
	mov $60, %eax
	mov %r12d, %edi
	shr $31, %edi
	syscall
pause:	mov $16, %eax		# ioctl
	mov %r12d, %edi
	mov $0x40045608, %esi
	syscall
	ret
loop:	dec %ecx
	jnz loop
	ret
device:	.asciz "/dev/vpmu"
	.balign 4
one:	.long 1
none:	.long 0
