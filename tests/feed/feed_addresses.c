/* SPDX-License-Identifier: MIT */
/* Addresses of accesses, by registers and constants. The bytes are GNU as's encodings of the names.
 * What is no such address, how RSP moves and which registers an instruction writes is in the random
 * blocks of feed_paths. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_go_by_registers),
	};

	return cmocka_run_group_tests_name("feed addresses", tests, NULL, NULL);
}
