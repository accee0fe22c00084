/* SPDX-License-Identifier: MIT */
/* Stores that are decoded, against the assembler: an instruction is as long as from its label
 * to the next, and what it stores is said beside it. */
#include "virtual_pmu/native/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* NAME: a label before the instruction, and one behind it. */
#define INSTRUCTION(name, text) \
	__asm__(".text\n" #name "_code: " text "\n" #name "_end: nop; .skip 16, 0x90\n"); \
	extern const uint8_t name##_code[], name##_end[]

INSTRUCTION(plain, "movl %ecx, (%rax)");
INSTRUCTION(quad, "movq %r9, 0x12345678(%r12, %r13, 8)");
INSTRUCTION(near, "movl %r15d, 16(%rsp)");
INSTRUCTION(frame, "movl %edi, (%rbp)");
INSTRUCTION(absolute, "movl %esi, 0x7000");
INSTRUCTION(indexed, "movl %esi, 0x70(, %rdx, 4)");
INSTRUCTION(relative, "movq %rbx, 0x100(%rip)");
INSTRUCTION(constant, "movl $0x80000022, 0xd9d0(%rdx)");
INSTRUCTION(negative, "movq $-2, (%r10)");
INSTRUCTION(segment, "movl %eax, %es:8(%rbx)");
INSTRUCTION(nontemporal, "movnti %r8, (%rdi)");
INSTRUCTION(or_constant, "orl $0x400000, (%rdi)");
INSTRUCTION(or_small, "orl $1, 4(%rdi)");
INSTRUCTION(and_small, "andq $-16, (%rdi)");
INSTRUCTION(and_register, "andl %eax, (%rdi)");
INSTRUCTION(xor_register, "xorq %rcx, (%rdi)");
INSTRUCTION(byte, "movb %cl, (%rax)");
INSTRUCTION(word, "movw %cx, (%rax)");
INSTRUCTION(addition, "addl %ecx, (%rax)");
INSTRUCTION(locked, "lock orl $1, (%rax)");
INSTRUCTION(vector, "movups %xmm0, (%rax)");
INSTRUCTION(from_memory, "movl (%rax), %ecx");
INSTRUCTION(to_register, "movl %ecx, %eax");

/* Register n holds this, and the address what `there` says. */
#define REGISTER(n) (UINT64_C(0x1111111111111111) * (n))
#define LOW(n) (REGISTER(n) & UINT32_MAX)
static const uint64_t there = UINT64_C(0xf0f0f0f0000000ff);

static bool decode(const uint8_t *code, struct vpmu_decoded_store *out)
{
	struct vpmu_registers r;

	for (uint64_t i = 0; i < 16; i++)
		r.general[i] = REGISTER(i);
	return vpmu_store_decode(code, &r, there, out);
}

static void stores_are_the_assemblers(void **state)
{
	static const struct row {
		const uint8_t *code, *end;
		uint32_t bytes;
		uint64_t value;
	} rows[] = {
#define ROW(name, bytes, value) { name##_code, name##_end, bytes, value }
		ROW(plain, 4, LOW(1)), ROW(quad, 8, REGISTER(9)), ROW(near, 4, LOW(15)),
		ROW(frame, 4, LOW(7)), ROW(absolute, 4, LOW(6)), ROW(indexed, 4, LOW(6)),
		ROW(relative, 8, REGISTER(3)), ROW(constant, 4, 0x80000022),
		ROW(negative, 8, UINT64_MAX - 1), ROW(segment, 4, 0),
		ROW(nontemporal, 8, REGISTER(8)), ROW(or_constant, 4, 0x4000ff),
		ROW(or_small, 4, 0xff), ROW(and_small, 8, UINT64_C(0xf0f0f0f0000000f0)),
		ROW(and_register, 4, 0), ROW(xor_register, 8, UINT64_C(0xe1e1e1e1111111ee)),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct vpmu_decoded_store store;

		if (!decode(rows[i].code, &store))
			fail_msg("row %zu is not decoded", i);
		assert_int_equal(store.length, rows[i].end - rows[i].code);
		assert_int_equal(store.bytes, rows[i].bytes);
		assert_int_equal(store.value, rows[i].value);
		assert_int_equal(store.flags_set, rows[i].code == or_constant_code ||
				 rows[i].code == or_small_code || rows[i].code == and_small_code ||
				 rows[i].code == and_register_code ||
				 rows[i].code == xor_register_code);
	}
}

static void others_are_refused(void **state)
{
	static const uint8_t *const codes[] = {
		byte_code, word_code, addition_code, locked_code, vector_code, from_memory_code,
		to_register_code,
	};
	struct vpmu_decoded_store store;

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (decode(codes[i], &store))
			fail_msg("row %zu is decoded", i);
}

/* The processor's own flags after the same operation. */
static void flags_are_the_processors(void **state)
{
	static const uint32_t masks[] = { 0, 1, 0x80, 0xff, 0x7fffffff, 0x80000000, UINT32_MAX };
	static const uint8_t code[16] = { 0x81, 0x27 };	/* andl $imm32, (%rdi) */

	(void)state;
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		uint8_t bytes[16] = { code[0], code[1], (uint8_t)masks[i],
				      (uint8_t)(masks[i] >> 8), (uint8_t)(masks[i] >> 16),
				      (uint8_t)(masks[i] >> 24) };
		uint32_t value = UINT32_C(0x800000c3);
		struct vpmu_registers r = { { 0 } };
		struct vpmu_decoded_store store;
		uint64_t flags;

		assert_true(vpmu_store_decode(bytes, &r, value, &store));
		__asm__("andl %2, %0\n\tpushfq\n\tpopq %1" : "+r"(value), "=r"(flags)
			: "r"(masks[i]) : "cc");
		assert_int_equal(store.value, value);
		assert_int_equal(store.flags, flags & VPMU_STORE_FLAGS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stores_are_the_assemblers),
		cmocka_unit_test(others_are_refused),
		cmocka_unit_test(flags_are_the_processors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
