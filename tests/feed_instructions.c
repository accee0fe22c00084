/* SPDX-License-Identifier: MIT */
/* Which instructions bypass the caches. The bytes are what GNU as makes of the names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../virtual_pmu/feed/instructions.h"

struct sample {
	const char *text;
	uint8_t size, bytes[15];
	enum vpmu_store kind;
};

#define NT VPMU_NONTEMPORAL

static const struct sample samples[] = {
	{ "movntps %xmm1,(%rdi)", 3, { 0x0f, 0x2b, 0x0f }, NT },
	{ "movntps %xmm9,0x12345678(%r8,%r9,4)", 9,
	  { 0x47, 0x0f, 0x2b, 0x8c, 0x88, 0x78, 0x56, 0x34, 0x12 }, NT },
	{ "movntpd %xmm1,(%rdi)", 4, { 0x66, 0x0f, 0x2b, 0x0f }, NT },
	{ "movntdq %xmm8,64(%r12)", 7, { 0x66, 0x45, 0x0f, 0xe7, 0x44, 0x24, 0x40 }, NT },
	{ "movntq %mm1,(%rdi)", 3, { 0x0f, 0xe7, 0x0f }, NT },
	{ "movnti %eax,(%rdi)", 3, { 0x0f, 0xc3, 0x07 }, NT },
	{ "movnti %r10,(%r11)", 4, { 0x4d, 0x0f, 0xc3, 0x13 }, NT },
	{ "movnti %eax,%fs:(%rdi)", 4, { 0x64, 0x0f, 0xc3, 0x07 }, NT },
	{ "movnti %eax,(%edi)", 4, { 0x67, 0x0f, 0xc3, 0x07 }, NT },
	{ "vmovntps %xmm1,(%rdi)", 4, { 0xc5, 0xf8, 0x2b, 0x0f }, NT },
	{ "vmovntps %ymm1,(%r9)", 5, { 0xc4, 0xc1, 0x7c, 0x2b, 0x09 }, NT },
	{ "vmovntpd %ymm9,(%rdi)", 4, { 0xc5, 0x7d, 0x2b, 0x0f }, NT },
	{ "vmovntdq %ymm1,(%rdi)", 4, { 0xc5, 0xfd, 0xe7, 0x0f }, NT },
	{ "vmovntdq %xmm1,(%r9)", 5, { 0xc4, 0xc1, 0x79, 0xe7, 0x09 }, NT },
	{ "maskmovdqu %xmm1,%xmm2", 4, { 0x66, 0x0f, 0xf7, 0xd1 }, NT },
	{ "maskmovq %mm1,%mm2", 3, { 0x0f, 0xf7, 0xd1 }, NT },
	{ "vmaskmovdqu %xmm1,%xmm2", 4, { 0xc5, 0xf9, 0xf7, 0xd1 }, NT },
	{ "sfence", 3, { 0x0f, 0xae, 0xf8 }, VPMU_FENCE },
	{ "mfence", 3, { 0x0f, 0xae, 0xf0 }, VPMU_FENCE },
	{ "lfence", 3, { 0x0f, 0xae, 0xe8 }, VPMU_ORDINARY },
	{ "movntdqa (%rdi),%xmm1", 5, { 0x66, 0x0f, 0x38, 0x2a, 0x0f }, VPMU_ORDINARY },
	{ "vmovntdqa (%rdi),%ymm1", 5, { 0xc4, 0xe2, 0x7d, 0x2a, 0x0f }, VPMU_ORDINARY },
	{ "movaps %xmm1,(%rdi)", 3, { 0x0f, 0x29, 0x0f }, VPMU_ORDINARY },
	{ "movdqa %xmm1,(%rdi)", 4, { 0x66, 0x0f, 0x7f, 0x0f }, VPMU_ORDINARY },
	{ "mov %rax,(%rdi)", 3, { 0x48, 0x89, 0x07 }, VPMU_ORDINARY },
	{ "rep movsb", 2, { 0xf3, 0xa4 }, VPMU_ORDINARY },
	{ "lock cmpxchg %rcx,(%rdi)", 5, { 0xf0, 0x48, 0x0f, 0xb1, 0x0f }, VPMU_ORDINARY },
	{ "ldmxcsr (%rdi)", 3, { 0x0f, 0xae, 0x17 }, VPMU_ORDINARY },
	{ "fxsave (%rdi)", 3, { 0x0f, 0xae, 0x07 }, VPMU_ORDINARY },
	{ "clflush (%rdi)", 3, { 0x0f, 0xae, 0x3f }, VPMU_ORDINARY },
	{ "clflushopt (%rdi)", 4, { 0x66, 0x0f, 0xae, 0x3f }, VPMU_ORDINARY },
	{ "xsave (%rdi)", 3, { 0x0f, 0xae, 0x27 }, VPMU_ORDINARY },
	{ "cvtdq2pd %xmm0,%xmm1", 4, { 0xf3, 0x0f, 0xe6, 0xc8 }, VPMU_ORDINARY },
	{ "psadbw (%rdi),%xmm2", 4, { 0x66, 0x0f, 0xf6, 0x17 }, VPMU_ORDINARY },
	{ "tpause %eax", 4, { 0x66, 0x0f, 0xae, 0xf0 }, VPMU_ORDINARY },
	{ "umwait %eax", 4, { 0xf2, 0x0f, 0xae, 0xf0 }, VPMU_ORDINARY },
	{ "ret", 1, { 0xc3 }, VPMU_ORDINARY },
	{ "nop", 1, { 0x90 }, VPMU_ORDINARY },
};

static void kinds(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *s = &samples[i];

		if (vpmu_store_of(s->bytes, s->size) != s->kind)
			fail_msg("%s is taken for kind %d", s->text,
				 (int)vpmu_store_of(s->bytes, s->size));
	}
}

/* An instruction cut short bypasses nothing, and must not be read beyond its end: the sanitizer
 * sees it. */
static void short_reads(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		for (size_t size = 0; size < samples[i].size; size++) {
			uint8_t *copy = malloc(size ? size : 1);

			for (size_t b = 0; b < size; b++)
				copy[b] = samples[i].bytes[b];
			assert_int_equal(vpmu_store_of(copy, size), VPMU_ORDINARY);
			free(copy);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(short_reads),
	};

	return cmocka_run_group_tests_name("feed instructions", tests, NULL, NULL);
}
