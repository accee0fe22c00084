/* SPDX-License-Identifier: MIT */
/* Addresses of accesses, by registers and constants, and how RSP moves. The bytes are GNU as's
 * encodings of the names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "virtual_pmu/feed/translate/addresses.h"

#define END 0x400100u		/* of each instruction */
#define NONE VPMU_NO_REGISTER
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R9 = 9, R12 = 12, R13, R15 = 15 };

struct sample {
	const char *text;
	uint8_t size, bytes[15];
	uint32_t base, index, scale;
	int64_t constant;
	uint32_t access_bytes;
	bool stores;
};

static const struct sample samples[] = {
	{ "mov 0x10(%rsp),%rax", 5, { 0x48, 0x8b, 0x44, 0x24, 0x10 }, RSP, NONE, 0, 16, 8, false },
	{ "mov %eax,-8(%rbp,%rcx,4)", 4, { 0x89, 0x44, 0x8d, 0xf8 }, RBP, RCX, 4, -8, 4, true },
	{ "movzbl (%r13),%eax", 5, { 0x41, 0x0f, 0xb6, 0x45, 0x00 }, R13, NONE, 0, 0, 1, false },
	{ "addw $1,(%r12)", 6, { 0x66, 0x41, 0x83, 0x04, 0x24, 0x01 }, R12, NONE, 0, 0, 2, true },
	{ "cmp %rax,(%rdi)", 3, { 0x48, 0x39, 0x07 }, RDI, NONE, 0, 0, 8, false },
	{ "mov 0x100(%rip),%ecx", 6, { 0x8b, 0x0d, 0, 1, 0, 0 }, NONE, NONE, 0, END + 256, 4,
	  false },
	{ "push %rcx", 1, { 0x51 }, RSP, NONE, 0, -8, 8, true },
	{ "push $1", 2, { 0x6a, 0x01 }, RSP, NONE, 0, -8, 8, true },
	{ "push %bx", 2, { 0x66, 0x53 }, RSP, NONE, 0, -2, 2, true },
	{ "pop %rcx", 1, { 0x59 }, RSP, NONE, 0, 0, 8, false },
	{ "call", 5, { 0xe8, 0, 0, 0, 0 }, RSP, NONE, 0, -8, 8, true },
	{ "ret", 1, { 0xc3 }, RSP, NONE, 0, 0, 8, false },
	{ "movsd (%rdi),%xmm0", 4, { 0xf2, 0x0f, 0x10, 0x07 }, RDI, NONE, 0, 0, 8, false },
	{ "movss %xmm1,4(%rdi,%rax,8)", 6, { 0xf3, 0x0f, 0x11, 0x4c, 0xc7, 0x04 }, RDI, RAX, 8, 4,
	  4, true },
	{ "movups %xmm0,(%rsp)", 4, { 0x0f, 0x11, 0x04, 0x24 }, RSP, NONE, 0, 0, 16, true },
};

static void accesses_go_by_registers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *s = &samples[i];
		struct vpmu_address a;

		if (!vpmu_address_of((struct vpmu_code){ s->bytes, s->size }, END, &a))
			fail_msg("%s has no address", s->text);
		if (a.base != s->base || a.index != s->index || a.scale != s->scale ||
		    a.constant != (uint64_t)s->constant || 1u << a.shift != s->access_bytes ||
		    a.stores != s->stores)
			fail_msg("%s is taken for %u %u*%u %#lx, %u bytes%s", s->text, a.base,
				 a.index, a.scale, (unsigned long)a.constant, 1u << a.shift,
				 a.stores ? ", a store" : "");
	}
}

struct code { const char *text; uint8_t size, bytes[15]; };

static void others_have_no_address(void **state)
{
	static const struct code codes[] = {
		{ "mov %fs:0x28,%rax", 9, { 0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0 } },
		{ "mov %gs:(%rdi),%rax", 4, { 0x65, 0x48, 0x8b, 0x07 } },
		{ "mov (%edi),%eax", 3, { 0x67, 0x8b, 0x07 } },
		{ "mov 0x1000,%eax", 7, { 0x8b, 0x04, 0x25, 0x00, 0x10, 0, 0 } },
		{ "vmovups (%rsp),%ymm0", 5, { 0xc5, 0xfc, 0x10, 0x04, 0x24 } },
		{ "leave", 1, { 0xc9 } },
		{ "add %rcx,%rdi", 3, { 0x48, 0x01, 0xcf } },
		{ "mov 0x10(%rsp),%rax, cut short", 4, { 0x48, 0x8b, 0x44, 0x24 } },
	};
	struct vpmu_address a;

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (vpmu_address_of((struct vpmu_code){ codes[i].bytes, codes[i].size }, END, &a))
			fail_msg("%s has an address", codes[i].text);
}

struct move { const char *text; uint8_t size, bytes[15]; int64_t by; };

/* by 0: not known. */
static const struct move moves[] = {
	{ "push %rcx", 1, { 0x51 }, -8 },
	{ "push $1", 2, { 0x6a, 0x01 }, -8 },
	{ "push %bx", 2, { 0x66, 0x53 }, -2 },
	{ "pop %r15", 2, { 0x41, 0x5f }, 8 },
	{ "pop %bx", 2, { 0x66, 0x5b }, 2 },
	{ "sub $0x20,%rsp", 4, { 0x48, 0x83, 0xec, 0x20 }, -0x20 },
	{ "add $0x1000,%rsp", 7, { 0x48, 0x81, 0xc4, 0x00, 0x10, 0, 0 }, 0x1000 },
	{ "add $-128,%rsp", 4, { 0x48, 0x83, 0xc4, 0x80 }, -128 },
	{ "lea -0x10(%rsp),%rsp", 5, { 0x48, 0x8d, 0x64, 0x24, 0xf0 }, -0x10 },
	{ "pop %rsp", 1, { 0x5c }, 0 },
	{ "push %rsp", 1, { 0x54 }, 0 },
	{ "sub %rax,%rsp", 3, { 0x48, 0x29, 0xc4 }, 0 },
	{ "mov %rbp,%rsp", 3, { 0x48, 0x89, 0xec }, 0 },
	{ "and $-16,%rsp", 4, { 0x48, 0x83, 0xe4, 0xf0 }, 0 },
	{ "sub $8,%esp", 3, { 0x83, 0xec, 0x08 }, 0 },
	{ "lea (%rsp,%rax),%rsp", 4, { 0x48, 0x8d, 0x24, 0x04 }, 0 },
	{ "inc %rsp", 3, { 0x48, 0xff, 0xc4 }, 0 },
	{ "leave", 1, { 0xc9 }, 0 },
};

static void the_stack_moves_by_constants(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		int64_t by = 0;
		bool known = vpmu_stack_moves((struct vpmu_code){ moves[i].bytes, moves[i].size },
					      &by);

		if (known != (moves[i].by != 0) || (known && by != moves[i].by))
			fail_msg("%s moves RSP by %ld", moves[i].text, (long)by);
	}
}

struct write { const char *text; uint8_t size, bytes[15]; uint32_t registers; };

static const struct write writes[] = {
	{ "add %rcx,%rdi", 3, { 0x48, 0x01, 0xcf }, 1u << RDI },
	{ "cmp %rcx,%rdi", 3, { 0x48, 0x39, 0xcf }, 0 },
	{ "mul %rcx", 3, { 0x48, 0xf7, 0xe1 }, 1u << RAX | 1u << RDX },
	{ "cmove %rax,%r9", 4, { 0x4c, 0x0f, 0x44, 0xc8 }, 1u << R9 },
	{ "movd %xmm0,%edx", 4, { 0x66, 0x0f, 0x7e, 0xc2 }, 1u << RDX },
	{ "mov (%rdi),%ah", 2, { 0x8a, 0x27 }, 1u << RAX },
	{ "shl %cl,%esi", 2, { 0xd3, 0xe6 }, 1u << RSI },
	{ "cltd", 1, { 0x99 }, 1u << RDX },
	{ "pop %r15", 2, { 0x41, 0x5f }, 1u << R15 | 1u << RSP },
	{ "push %rcx", 1, { 0x51 }, 1u << RSP },
	{ "mov %rcx,0x30(%rsp)", 5, { 0x48, 0x89, 0x4c, 0x24, 0x30 }, 0 },
	{ "mov 0x10(%rsp),%rax", 5, { 0x48, 0x8b, 0x44, 0x24, 0x10 }, 1u << RAX },
	{ "mov (%rdi),%ecx", 2, { 0x8b, 0x0f }, 1u << RCX },
	{ "mov %eax,%ebx", 2, { 0x89, 0xc3 }, 1u << RBX },
};

static void instructions_write_registers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
		struct vpmu_accesses a = vpmu_accesses_of(writes[i].bytes, writes[i].size);

		if ((a.none || a.once) && a.writes != writes[i].registers)
			fail_msg("%s is said to write %#x", writes[i].text, a.writes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_go_by_registers),
		cmocka_unit_test(others_have_no_address),
		cmocka_unit_test(the_stack_moves_by_constants),
		cmocka_unit_test(instructions_write_registers),
	};

	return cmocka_run_group_tests_name("feed addresses", tests, NULL, NULL);
}
