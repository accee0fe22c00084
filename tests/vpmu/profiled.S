// SPDX-License-Identifier: MIT
/* Loops whose counts are known: TURNS, LINES, and the signal KILLED that ends the program. */
	.globl _start
_start:	mov $TURNS, %ecx
turn:	dec %ecx
	jnz turn
	lea first(%rip), %rsi
	mov $LINES, %ecx
load:	mov (%rsi), %rax
	add $64, %rsi
	dec %ecx
	jnz load
	lea second(%rip), %rdi
	mov $LINES, %ecx
store:	mov %rax, (%rdi)
	add $64, %rdi
	dec %ecx
	jnz store
	lea first(%rip), %rsi
	lea second(%rip), %rdi
	mov $1000, %ecx
	call copy
	xor %ecx, %ecx
	call copy
	mov $39, %eax		# getpid
	syscall
	mov %eax, %edi
	mov $KILLED, %esi
	mov $62, %eax		# kill
	test %esi, %esi
	jz end
	syscall
end:	mov $60, %eax
	xor %edi, %edi
	syscall
copy:	rep movsb
	ret
	.lcomm first, 1 << 20
	.lcomm second, 1 << 20
	.balign 4096
