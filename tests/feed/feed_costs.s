# SPDX-License-Identifier: MIT
# Loops, the last ones of several blocks, for feed_costs.sh: what a round of each costs, by the feed and by
# llvm-mca, which reads the comments that begin and end its regions.

# LLVM-MCA-BEGIN add_chain
add_chain:
	addq %rbx, %rax
	decq %rcx
	jnz add_chain
# LLVM-MCA-END add_chain
# LLVM-MCA-BEGIN add_four_chains
add_four_chains:
	addq %r8, %rax
	addq %r8, %rbx
	addq %r8, %rdx
	addq %r8, %rsi
	subq $1, %rcx
	jnz add_four_chains
# LLVM-MCA-END add_four_chains
# LLVM-MCA-BEGIN imul_chain
imul_chain:
	imulq %rbx, %rax
	decq %rcx
	jnz imul_chain
# LLVM-MCA-END imul_chain
# LLVM-MCA-BEGIN imul_three
imul_three:
	imulq %r8, %rax
	imulq %r8, %rbx
	imulq %r8, %rdx
	decq %rcx
	jnz imul_three
# LLVM-MCA-END imul_three
# LLVM-MCA-BEGIN lea_two
lea_two:
	leaq (%rax,%rbx), %rax
	decq %rcx
	jnz lea_two
# LLVM-MCA-END lea_two
# LLVM-MCA-BEGIN lea_three
lea_three:
	leaq 8(%rax,%rbx), %rax
	decq %rcx
	jnz lea_three
# LLVM-MCA-END lea_three
# LLVM-MCA-BEGIN shift_chain
shift_chain:
	shlq $3, %rax
	shrq $2, %rax
	decq %rcx
	jnz shift_chain
# LLVM-MCA-END shift_chain
# LLVM-MCA-BEGIN shift_ports
shift_ports:
	shlq $3, %rax
	shlq $3, %rbx
	shlq $3, %rdx
	shlq $3, %rsi
	decq %rcx
	jnz shift_ports
# LLVM-MCA-END shift_ports
# LLVM-MCA-BEGIN shift_cl
shift_cl:
	shlq %cl, %rax
	decq %rdx
	jnz shift_cl
# LLVM-MCA-END shift_cl
# LLVM-MCA-BEGIN rotate_chain
rotate_chain:
	rolq $7, %rax
	xorq %rbx, %rax
	decq %rcx
	jnz rotate_chain
# LLVM-MCA-END rotate_chain
# LLVM-MCA-BEGIN cmov
cmov:
	cmpq %rax, %rbx
	cmovgq %rbx, %rax
	addq %r8, %rbx
	decq %rcx
	jnz cmov
# LLVM-MCA-END cmov
# LLVM-MCA-BEGIN setcc
setcc:
	xorl %eax, %eax
	cmpq %rsi, %rdi
	setl %al
	addq %rax, %rbx
	decq %rcx
	jnz setcc
# LLVM-MCA-END setcc
# LLVM-MCA-BEGIN popcnt
popcnt:
	popcntq %rax, %rbx
	popcntq %rdx, %rsi
	addq %rbx, %r8
	decq %rcx
	jnz popcnt
# LLVM-MCA-END popcnt
# LLVM-MCA-BEGIN lzcnt_chain
lzcnt_chain:
	lzcntq %rax, %rax
	decq %rcx
	jnz lzcnt_chain
# LLVM-MCA-END lzcnt_chain
# LLVM-MCA-BEGIN bswap_chain
bswap_chain:
	bswapq %rax
	addq %rbx, %rax
	decq %rcx
	jnz bswap_chain
# LLVM-MCA-END bswap_chain
# LLVM-MCA-BEGIN andn_blsr
andn_blsr:
	blsrq %rax, %rax
	andnq %rbx, %rdx, %rsi
	decq %rcx
	jnz andn_blsr
# LLVM-MCA-END andn_blsr
# LLVM-MCA-BEGIN xorshift
xorshift:
	movq %rax, %rbx
	shlq $13, %rbx
	xorq %rbx, %rax
	movq %rax, %rbx
	shrq $7, %rbx
	xorq %rbx, %rax
	movq %rax, %rbx
	shlq $17, %rbx
	xorq %rbx, %rax
	decq %rcx
	jnz xorshift
# LLVM-MCA-END xorshift
# LLVM-MCA-BEGIN mul_wide
mul_wide:
	movq %r8, %rax
	mulq %r9
	addq %rax, %r10
	adcq %rdx, %r11
	decq %rcx
	jnz mul_wide
# LLVM-MCA-END mul_wide
# LLVM-MCA-BEGIN div32
div32:
	xorl %edx, %edx
	divl %esi
	addl %r8d, %eax
	decq %rcx
	jnz div32
# LLVM-MCA-END div32
# LLVM-MCA-BEGIN div64
div64:
	xorl %edx, %edx
	divq %rsi
	addq %r8, %rax
	decq %rcx
	jnz div64
# LLVM-MCA-END div64
# LLVM-MCA-BEGIN load_sum
load_sum:
	addq (%rsi), %rax
	addq $8, %rsi
	decq %rcx
	jnz load_sum
# LLVM-MCA-END load_sum
# LLVM-MCA-BEGIN load_two
load_two:
	movq (%rsi), %rax
	movq 8(%rsi), %rbx
	addq $16, %rsi
	decq %rcx
	jnz load_two
# LLVM-MCA-END load_two
# LLVM-MCA-BEGIN load_four
load_four:
	movq (%rsi), %rax
	movq 8(%rsi), %rbx
	movq 16(%rsi), %rdx
	movq 24(%rsi), %r8
	addq $32, %rsi
	decq %rcx
	jnz load_four
# LLVM-MCA-END load_four
# LLVM-MCA-BEGIN store_one
store_one:
	movq %rax, (%rsi)
	addq $8, %rsi
	decq %rcx
	jnz store_one
# LLVM-MCA-END store_one
# LLVM-MCA-BEGIN store_two
store_two:
	movq %rax, (%rsi)
	movq %rax, 8(%rsi)
	addq $16, %rsi
	decq %rcx
	jnz store_two
# LLVM-MCA-END store_two
# LLVM-MCA-BEGIN copy
copy:
	movq (%rsi), %rax
	movq %rax, (%rdi)
	addq $8, %rsi
	addq $8, %rdi
	decq %rcx
	jnz copy
# LLVM-MCA-END copy
# LLVM-MCA-BEGIN chase
chase:
	movq (%rax), %rax
	decq %rcx
	jnz chase
# LLVM-MCA-END chase
# LLVM-MCA-BEGIN chase_index
chase_index:
	movq (%rbx,%rax,8), %rax
	decq %rcx
	jnz chase_index
# LLVM-MCA-END chase_index
# LLVM-MCA-BEGIN gather_scalar
gather_scalar:
	movslq (%rsi), %rax
	addq (%rbx,%rax,8), %rdx
	addq $4, %rsi
	decq %rcx
	jnz gather_scalar
# LLVM-MCA-END gather_scalar
# LLVM-MCA-BEGIN modify
modify:
	addq $1, (%rsi)
	addq $8, %rsi
	decq %rcx
	jnz modify
# LLVM-MCA-END modify
# LLVM-MCA-BEGIN bytes
bytes:
	movzbl (%rsi), %eax
	addl %eax, %ebx
	addq $1, %rsi
	decq %rcx
	jnz bytes
# LLVM-MCA-END bytes
# LLVM-MCA-BEGIN addsd_chain
addsd_chain:
	addsd %xmm1, %xmm0
	decq %rcx
	jnz addsd_chain
# LLVM-MCA-END addsd_chain
# LLVM-MCA-BEGIN addsd_four
addsd_four:
	addsd %xmm8, %xmm0
	addsd %xmm8, %xmm1
	addsd %xmm8, %xmm2
	addsd %xmm8, %xmm3
	decq %rcx
	jnz addsd_four
# LLVM-MCA-END addsd_four
# LLVM-MCA-BEGIN addsd_eight
addsd_eight:
	addsd %xmm8, %xmm0
	addsd %xmm8, %xmm1
	addsd %xmm8, %xmm2
	addsd %xmm8, %xmm3
	addsd %xmm8, %xmm4
	addsd %xmm8, %xmm5
	addsd %xmm8, %xmm6
	addsd %xmm8, %xmm7
	decq %rcx
	jnz addsd_eight
# LLVM-MCA-END addsd_eight
# LLVM-MCA-BEGIN mulss_chain
mulss_chain:
	mulss %xmm1, %xmm0
	decq %rcx
	jnz mulss_chain
# LLVM-MCA-END mulss_chain
# LLVM-MCA-BEGIN horner
horner:
	mulsd %xmm1, %xmm0
	addsd %xmm2, %xmm0
	decq %rcx
	jnz horner
# LLVM-MCA-END horner
# LLVM-MCA-BEGIN fma_chain
fma_chain:
	vfmadd231sd %xmm1, %xmm2, %xmm0
	decq %rcx
	jnz fma_chain
# LLVM-MCA-END fma_chain
# LLVM-MCA-BEGIN fma_ymm_eight
fma_ymm_eight:
	vfmadd231pd %ymm8, %ymm9, %ymm0
	vfmadd231pd %ymm8, %ymm9, %ymm1
	vfmadd231pd %ymm8, %ymm9, %ymm2
	vfmadd231pd %ymm8, %ymm9, %ymm3
	vfmadd231pd %ymm8, %ymm9, %ymm4
	vfmadd231pd %ymm8, %ymm9, %ymm5
	vfmadd231pd %ymm8, %ymm9, %ymm6
	vfmadd231pd %ymm8, %ymm9, %ymm7
	decq %rcx
	jnz fma_ymm_eight
# LLVM-MCA-END fma_ymm_eight
# LLVM-MCA-BEGIN divsd_chain
divsd_chain:
	divsd %xmm1, %xmm0
	decq %rcx
	jnz divsd_chain
# LLVM-MCA-END divsd_chain
# LLVM-MCA-BEGIN divsd_free
divsd_free:
	movapd %xmm1, %xmm0
	divsd %xmm2, %xmm0
	decq %rcx
	jnz divsd_free
# LLVM-MCA-END divsd_free
# LLVM-MCA-BEGIN divss_free
divss_free:
	movaps %xmm1, %xmm0
	divss %xmm2, %xmm0
	decq %rcx
	jnz divss_free
# LLVM-MCA-END divss_free
# LLVM-MCA-BEGIN vdivpd_ymm
vdivpd_ymm:
	vdivpd %ymm1, %ymm2, %ymm0
	decq %rcx
	jnz vdivpd_ymm
# LLVM-MCA-END vdivpd_ymm
# LLVM-MCA-BEGIN sqrtsd_chain
sqrtsd_chain:
	sqrtsd %xmm0, %xmm0
	decq %rcx
	jnz sqrtsd_chain
# LLVM-MCA-END sqrtsd_chain
# LLVM-MCA-BEGIN vsqrtps_free
vsqrtps_free:
	vsqrtps %xmm1, %xmm0
	decq %rcx
	jnz vsqrtps_free
# LLVM-MCA-END vsqrtps_free
# LLVM-MCA-BEGIN triad_sse
triad_sse:
	movapd (%rsi), %xmm0
	mulpd %xmm8, %xmm0
	addpd (%rdx), %xmm0
	movapd %xmm0, (%rdi)
	addq $16, %rsi
	addq $16, %rdx
	addq $16, %rdi
	decq %rcx
	jnz triad_sse
# LLVM-MCA-END triad_sse
# LLVM-MCA-BEGIN triad_avx
triad_avx:
	vmovupd (%rsi,%rax), %ymm0
	vfmadd213pd (%rdx,%rax), %ymm8, %ymm0
	vmovupd %ymm0, (%rdi,%rax)
	addq $32, %rax
	cmpq %rax, %rcx
	jne triad_avx
# LLVM-MCA-END triad_avx
# LLVM-MCA-BEGIN dot_scalar
dot_scalar:
	movsd (%rsi), %xmm1
	mulsd (%rdi), %xmm1
	addsd %xmm1, %xmm0
	addq $8, %rsi
	addq $8, %rdi
	decq %rcx
	jnz dot_scalar
# LLVM-MCA-END dot_scalar
# LLVM-MCA-BEGIN paddd_three
paddd_three:
	paddd %xmm8, %xmm0
	paddd %xmm8, %xmm1
	paddd %xmm8, %xmm2
	decq %rcx
	jnz paddd_three
# LLVM-MCA-END paddd_three
# LLVM-MCA-BEGIN pmulld_chain
pmulld_chain:
	pmulld %xmm1, %xmm0
	decq %rcx
	jnz pmulld_chain
# LLVM-MCA-END pmulld_chain
# LLVM-MCA-BEGIN pmullw_free
pmullw_free:
	vpmullw %xmm1, %xmm2, %xmm0
	vpmullw %xmm1, %xmm2, %xmm3
	vpmullw %xmm1, %xmm2, %xmm4
	decq %rcx
	jnz pmullw_free
# LLVM-MCA-END pmullw_free
# LLVM-MCA-BEGIN shuffles
shuffles:
	pshufd $27, %xmm0, %xmm1
	punpckldq %xmm2, %xmm3
	shufps $1, %xmm4, %xmm5
	decq %rcx
	jnz shuffles
# LLVM-MCA-END shuffles
# LLVM-MCA-BEGIN lanes_chain
lanes_chain:
	vperm2f128 $1, %ymm0, %ymm0, %ymm0
	vaddpd %ymm0, %ymm1, %ymm0
	decq %rcx
	jnz lanes_chain
# LLVM-MCA-END lanes_chain
# LLVM-MCA-BEGIN hadd_chain
hadd_chain:
	haddpd %xmm0, %xmm0
	decq %rcx
	jnz hadd_chain
# LLVM-MCA-END hadd_chain
# LLVM-MCA-BEGIN convert
convert:
	cvtsi2sdq %rax, %xmm0
	addsd %xmm0, %xmm1
	decq %rcx
	jnz convert
# LLVM-MCA-END convert
# LLVM-MCA-BEGIN convert_back
convert_back:
	cvttsd2si %xmm0, %rax
	addq %rax, %rbx
	decq %rcx
	jnz convert_back
# LLVM-MCA-END convert_back
# LLVM-MCA-BEGIN movemask
movemask:
	pcmpeqb (%rsi), %xmm0
	pmovmskb %xmm0, %eax
	addq $16, %rsi
	testl %eax, %eax
	je movemask
# LLVM-MCA-END movemask
# LLVM-MCA-BEGIN max_reduce
max_reduce:
	maxpd (%rsi), %xmm0
	addq $16, %rsi
	decq %rcx
	jnz max_reduce
# LLVM-MCA-END max_reduce
# LLVM-MCA-BEGIN compare_double
compare_double:
	ucomisd %xmm1, %xmm0
	seta %al
	addsd %xmm2, %xmm0
	decq %rcx
	jnz compare_double
# LLVM-MCA-END compare_double
# LLVM-MCA-BEGIN blendv
blendv:
	vblendvpd %xmm0, %xmm1, %xmm2, %xmm3
	vblendvpd %xmm0, %xmm4, %xmm5, %xmm6
	decq %rcx
	jnz blendv
# LLVM-MCA-END blendv
# LLVM-MCA-BEGIN aes
aes:
	aesenc %xmm1, %xmm0
	decq %rcx
	jnz aes
# LLVM-MCA-END aes
# LLVM-MCA-BEGIN crc
crc:
	crc32q (%rsi), %rax
	addq $8, %rsi
	decq %rcx
	jnz crc
# LLVM-MCA-END crc
# LLVM-MCA-BEGIN strlen
strlen:
	cmpb $0, (%rax)
	leaq 1(%rax), %rax
	jne strlen
# LLVM-MCA-END strlen
# LLVM-MCA-BEGIN hash_fnv
hash_fnv:
	movzbl (%rsi), %edx
	xorq %rdx, %rax
	imulq %rbx, %rax
	incq %rsi
	cmpq %rsi, %rdi
	jne hash_fnv
# LLVM-MCA-END hash_fnv
# LLVM-MCA-BEGIN lcg
lcg:
	imulq %rbx, %rax
	addq %r8, %rax
	movq %rax, %rdx
	shrq $33, %rdx
	addq %rdx, %rsi
	decq %rcx
	jnz lcg
# LLVM-MCA-END lcg
# LLVM-MCA-BEGIN collatz
collatz:
	leaq (%rax,%rax,2), %rdx
	addq $1, %rdx
	shrq $1, %rax
	testb $1, %bl
	cmovneq %rdx, %rax
	movl %eax, %ebx
	decq %rcx
	jnz collatz
# LLVM-MCA-END collatz
# LLVM-MCA-BEGIN unroll_int
unroll_int:
	movl (%rsi), %eax
	addl 4(%rsi), %eax
	addl 8(%rsi), %eax
	addl 12(%rsi), %eax
	movl %eax, (%rdi)
	addq $16, %rsi
	addq $4, %rdi
	decq %rcx
	jnz unroll_int
# LLVM-MCA-END unroll_int
# LLVM-MCA-BEGIN if_product
if_product:
	imulq %rbx, %rax
	testq %rdx, %rdx
	jz .Lif_product_end
	addq %r8, %rax
.Lif_product_end:
	decq %rcx
	jnz if_product
# LLVM-MCA-END if_product
# LLVM-MCA-BEGIN if_sum
if_sum:
	movq (%rsi), %rdx
	addq $8, %rsi
	cmpq %rdx, %rdi
	jb .Lif_sum_end
	addsd %xmm1, %xmm0
.Lif_sum_end:
	decq %rcx
	jnz if_sum
# LLVM-MCA-END if_sum
# LLVM-MCA-BEGIN if_pointer
if_pointer:
	movq 8(%rax), %rdx
	cmpq %rdx, %rdi
	je .Lif_pointer_end
	movq 16(%rax,%rcx,8), %rax
	testq %rax, %rax
	jnz if_pointer
.Lif_pointer_end:
# LLVM-MCA-END if_pointer
# LLVM-MCA-BEGIN two_chains
two_chains:
	mulsd %xmm1, %xmm0
	testq %rdx, %rdx
	js .Ltwo_chains_end
	imulq %rbx, %rax
	imulq %rbx, %rax
	testq %rsi, %rsi
	js .Ltwo_chains_end
	mulsd %xmm2, %xmm0
.Ltwo_chains_end:
	decq %rcx
	jnz two_chains
# LLVM-MCA-END two_chains
# LLVM-MCA-BEGIN if_shift
if_shift:
	movq %rax, %rdx
	shrq $1, %rdx
	testb $1, %al
	jz .Lif_shift_even
	leaq (%rdx,%rax), %rdx
.Lif_shift_even:
	leaq (%rdx,%rbx), %rax
	incq %rsi
	cmpq %rsi, %rdi
	jne if_shift
# LLVM-MCA-END if_shift
# LLVM-MCA-BEGIN merge
merge:
	movl (%rsi), %eax
	cmpl (%rdi), %eax
	jg .Lmerge_second
	addq $4, %rsi
	movl %eax, (%rdx)
	addq $4, %rdx
.Lmerge_second:
	decq %rcx
	jnz merge
# LLVM-MCA-END merge
