/* SPDX-License-Identifier: MIT */
/* Which instructions bypass the caches, and which access them in a way of their own. The bytes are
 * what GNU as makes of the names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "virtual_pmu/feed/cache/contention.h"
#include "virtual_pmu/feed/translate/decoding.h"
#include "virtual_pmu/feed/translate/decode_cache.h"

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

		if (vpmu_accesses_of(s->bytes, s->size).store != s->kind)
			fail_msg("%s is taken for kind %d", s->text,
				 (int)vpmu_accesses_of(s->bytes, s->size).store);
	}
}

enum way { PLAIN, MODIFIES, NONE };

struct access_sample {
	const char *text;
	uint8_t size, bytes[15];
	enum way way;
};

static const struct access_sample accesses[] = {
	{ "movups (%rdi),%xmm0", 3, { 0x0f, 0x10, 0x07 }, PLAIN },
	{ "movdqu %xmm3,-16(%rcx)", 5, { 0xf3, 0x0f, 0x7f, 0x59, 0xf0 }, PLAIN },
	{ "addpd (%rdi,%rax,8),%xmm2", 5, { 0x66, 0x0f, 0x58, 0x14, 0xc7 }, PLAIN },
	{ "paddq 0x1704(%rip),%xmm1", 8, { 0x66, 0x0f, 0xd4, 0x0d, 4, 0x17, 0, 0 }, PLAIN },
	{ "vmovupd (%rdi),%ymm0", 4, { 0xc5, 0xfd, 0x10, 0x07 }, PLAIN },
	{ "vmaskmovpd (%rdi),%ymm1,%ymm0", 5, { 0xc4, 0xe2, 0x75, 0x2d, 0x07 }, PLAIN },
	{ "movsd (%rdi),%xmm0", 4, { 0xf2, 0x0f, 0x10, 0x07 }, PLAIN },
	{ "movhpd (%rdi),%xmm0", 4, { 0x66, 0x0f, 0x16, 0x07 }, PLAIN },
	{ "lock cmpxchg16b (%rdi)", 5, { 0xf0, 0x48, 0x0f, 0xc7, 0x0f }, PLAIN },
	{ "fxsave (%rdi)", 3, { 0x0f, 0xae, 0x07 }, PLAIN },
	{ "add %rcx,(%r14,%rdx,8)", 4, { 0x49, 0x01, 0x0c, 0xd6 }, MODIFIES },
	{ "addq $1,(%rdi,%rax,8)", 5, { 0x48, 0x83, 0x04, 0xc7, 0x01 }, MODIFIES },
	{ "xor %al,(%rdi)", 2, { 0x30, 0x07 }, MODIFIES },
	{ "incl (%rdi)", 2, { 0xff, 0x07 }, MODIFIES },
	{ "negb (%rdi)", 2, { 0xf6, 0x1f }, MODIFIES },
	{ "lock add %rcx,(%rdi)", 4, { 0xf0, 0x48, 0x01, 0x0f }, PLAIN },
	{ "add (%rdi),%rcx", 3, { 0x48, 0x03, 0x0f }, PLAIN },
	{ "add %rcx,%rdi", 3, { 0x48, 0x01, 0xcf }, NONE },
	{ "lea 8(%rdi),%rcx", 4, { 0x48, 0x8d, 0x4f, 0x08 }, NONE },
	{ "mov $1,%eax", 5, { 0xb8, 1, 0, 0, 0 }, NONE },
	{ "movabs 0x10,%al", 9, { 0xa0, 0x10, 0, 0, 0, 0, 0, 0, 0 }, PLAIN },
	{ "cmp %rcx,(%rdi)", 3, { 0x48, 0x39, 0x0f }, PLAIN },
	{ "cmpq $1,(%rdi)", 4, { 0x48, 0x83, 0x3f, 0x01 }, PLAIN },
	{ "testb $1,(%rdi)", 3, { 0xf6, 0x07, 0x01 }, PLAIN },
	{ "mulq (%rdi)", 3, { 0x48, 0xf7, 0x27 }, PLAIN },
	{ "call *(%rdi)", 2, { 0xff, 0x17 }, PLAIN },
	{ "jmp *(%rdi)", 2, { 0xff, 0x27 }, PLAIN },
	{ "jmp *%rdi", 2, { 0xff, 0xe7 }, NONE },
	{ "jmp", 5, { 0xe9, 0, 0, 0, 0 }, NONE },
	{ "jne", 2, { 0x75, 0x10 }, NONE },
	{ "loop", 2, { 0xe2, 0xf0 }, NONE },
	{ "ret", 1, { 0xc3 }, PLAIN },
	{ "mulpd %xmm1,%xmm0", 4, { 0x66, 0x0f, 0x59, 0xc1 }, NONE },
	{ "vaddpd %ymm1,%ymm2,%ymm3", 4, { 0xc5, 0xed, 0x58, 0xd9 }, NONE },
	{ "maskmovdqu %xmm1,%xmm2", 4, { 0x66, 0x0f, 0xf7, 0xd1 }, PLAIN },
	{ "push %rbp", 1, { 0x55 }, PLAIN },
};

static void ways_to_access(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
		const struct access_sample *s = &accesses[i];
		struct vpmu_accesses a = vpmu_accesses_of(s->bytes, s->size);
		struct vpmu_class c = vpmu_class_of(s->bytes, s->size);

		if (a.modifies != (s->way == MODIFIES) || a.none != (s->way == NONE))
			fail_msg("%s is taken for%s%s", s->text, a.modifies ? " modifying" : "",
				 a.none ? " none" : "");
		if (c.no_access != (a.none && a.vector))
			fail_msg("%s is of another class", s->text);
	}
}

struct once_sample {
	const char *text;
	uint8_t size, bytes[15];
	bool once;
};

static const struct once_sample onces[] = {
	{ "mov (%rdi),%rax", 3, { 0x48, 0x8b, 0x07 }, true },
	{ "movzbl (%rdi),%eax", 3, { 0x0f, 0xb6, 0x07 }, true },
	{ "add %rcx,(%rdi)", 3, { 0x48, 0x01, 0x0f }, true },
	{ "cmpq $1,(%rdi)", 4, { 0x48, 0x83, 0x3f, 0x01 }, true },
	{ "push %rbp", 1, { 0x55 }, true },
	{ "call", 5, { 0xe8, 0, 0, 0, 0 }, true },
	{ "ret", 1, { 0xc3 }, true },
	{ "movups (%rdi),%xmm0", 3, { 0x0f, 0x10, 0x07 }, true },
	{ "mulsd (%rdi),%xmm0", 4, { 0xf2, 0x0f, 0x59, 0x07 }, true },
	{ "vmovupd (%rdi),%ymm0", 4, { 0xc5, 0xfd, 0x10, 0x07 }, false },
	{ "prefetcht0 (%rdi)", 3, { 0x0f, 0x18, 0x0f }, false },
	{ "movntps %xmm1,(%rdi)", 3, { 0x0f, 0x2b, 0x0f }, false },
	{ "fxsave (%rdi)", 3, { 0x0f, 0xae, 0x07 }, false },
	{ "clflush (%rdi)", 3, { 0x0f, 0xae, 0x3f }, false },
	{ "nopw (%rax,%rax)", 5, { 0x66, 0x0f, 0x1f, 0x04, 0x00 }, false },
	{ "lea 8(%rdi),%rcx", 4, { 0x48, 0x8d, 0x4f, 0x08 }, false },
	{ "rep movsb", 2, { 0xf3, 0xa4 }, false },
	{ "movsb", 1, { 0xa4 }, false },
	{ "xchg %rax,(%rdi)", 3, { 0x48, 0x87, 0x07 }, false },
	{ "lock add %rcx,(%rdi)", 4, { 0xf0, 0x48, 0x01, 0x0f }, false },
	{ "push (%rdi)", 2, { 0xff, 0x37 }, false },
	{ "call *(%rdi)", 2, { 0xff, 0x17 }, false },
	{ "add %rcx,%rdi", 3, { 0x48, 0x01, 0xcf }, false },
	{ "fldt (%rdi)", 2, { 0xdb, 0x2f }, false },
};

static void one_access_whatever_happens(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(onces) / sizeof(onces[0]); i++)
		if (vpmu_accesses_of(onces[i].bytes, onces[i].size).once != onces[i].once)
			fail_msg("%s is taken for %s", onces[i].text,
				 onces[i].once ? "another" : "one that has");
}

static void is_known(const uint8_t *bytes, size_t count)
{
	struct vpmu_accesses a = vpmu_accesses_of(bytes, count);
	struct vpmu_accesses b = vpmu_accesses_known(bytes, count);

	if (a.store != b.store || a.vector != b.vector || a.none != b.none || a.once != b.once ||
	    a.modifies != b.modifies || a.writes != b.writes)
		fail_msg("%02x %02x %02x %02x...: not as it is decoded", bytes[0], bytes[1],
			 bytes[2], bytes[3]);
}

/* All opcodes of one and two bytes with all ModR/M bytes, with and without prefixes; what follows
 * is first one thing, then another. */
static void what_is_known_is_what_is_decoded(void **state)
{
	static const uint8_t first[] = { 0, 0x40, 0x41, 0x44, 0x48, 0x4f, 0x66, 0xf0, 0xf3, 0xc5 };
	static const uint8_t rest[][4] = { { 7 }, { 0xc7, 0x90, 0x0f, 0xb7 }, { 0x9e, 1, 2, 3 } };

	(void)state;
	for (uint32_t i = 0; i < sizeof(first) * 2 * 65536 * 3; i++) {
		uint32_t n = i / 3, with = n / 65536 / 2 % sizeof(first);
		uint8_t bytes[15] = { first[with] };
		size_t at = first[with] != 0;
		struct decoded d;

		if (n / 65536 % 2)
			bytes[at++] = 0x0f;
		bytes[at++] = (uint8_t)(n >> 8);
		bytes[at++] = (uint8_t)n;
		for (size_t k = 0; k < 4; k++)
			bytes[at + k] = rest[i % 3][k];
		if (decode(bytes, sizeof(bytes), &d))
			is_known(bytes, d.insn.length);
	}
}

static struct vpmu_code load_and_store[] = {
	{ (const uint8_t[]){ 0x66, 0x0f, 0x10, 0x14, 0x06 }, 5 }, /* movupd (%rsi,%rax),%xmm2 */
	{ (const uint8_t[]){ 0x66, 0x0f, 0x58, 0xc2 }, 4 }, /* addpd %xmm2,%xmm0 */
	{ (const uint8_t[]){ 0x0f, 0x11, 0x04, 0x06 }, 4 }, /* movups %xmm0,(%rsi,%rax) */
};

static void a_load_and_a_store_of_the_same_place(void **state)
{
	const struct vpmu_code others[] = {
		{ (const uint8_t[]){ 0x0f, 0x11, 0x44, 6, 8 }, 5 },	/* to 8(%rsi,%rax) */
		{ (const uint8_t[]){ 0x0f, 0x11, 0x04, 0x46 }, 4 },	/* to (%rsi,%rax,2) */
		{ (const uint8_t[]){ 0x0f, 0x11, 0x04, 0x07 }, 4 },	/* to (%rdi,%rax) */
		{ (const uint8_t[]){ 0x65, 0x0f, 0x11, 4, 6 }, 5 },	/* to %gs:(%rsi,%rax) */
		{ (const uint8_t[]){ 0xf2, 0x0f, 0x11, 4, 6 }, 5 },	/* movsd: 8 bytes */
		{ (const uint8_t[]){ 0x0f, 0x10, 0x04, 0x06 }, 4 },	/* another load */
	};

	(void)state;
	assert_true(vpmu_load_and_store(load_and_store, 3));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		load_and_store[2] = others[i];
		if (vpmu_load_and_store(load_and_store, 3))
			fail_msg("store %zu is taken for one", i);
	}
	load_and_store[2] = (struct vpmu_code){ (const uint8_t[]){ 0x0f, 0x11, 0x04, 0x06 }, 4 };
	/* cvttsd2si %xmm0,%eax */
	load_and_store[1] = (struct vpmu_code){ (const uint8_t[]){ 0xf2, 0x0f, 0x2c, 0xc0 }, 4 };
	assert_false(vpmu_load_and_store(load_and_store, 3));
}

static void locked_instructions(void **state)
{
	static const struct { uint8_t bytes[8]; size_t count; bool locked; } rows[] = {
		{ { 0xf0, 0x0f, 0xc1, 0x07 }, 4, true },	/* lock xadd %eax,(%rdi) */
		{ { 0x66, 0xf0, 0x83, 0x07, 0x01 }, 5, true },	/* lock addw $1,(%rdi) */
		{ { 0xf0, 0x48, 0x0f, 0xb1, 0x17 }, 5, true },	/* lock cmpxchg %rdx,(%rdi) */
		{ { 0x87, 0x07 }, 2, true },			/* xchg %eax,(%rdi) */
		{ { 0x48, 0x87, 0x07 }, 3, true },		/* xchg %rax,(%rdi) */
		{ { 0x86, 0x07 }, 2, true },			/* xchg %al,(%rdi) */
		{ { 0x87, 0xc7 }, 2, false },			/* xchg %eax,%edi */
		{ { 0x0f, 0xb1, 0x17 }, 3, false },		/* cmpxchg %edx,(%rdi) */
		{ { 0x83, 0x07, 0x01 }, 3, false },		/* addl $1,(%rdi) */
		{ { 0xf3, 0x90 }, 2, false },			/* pause */
		{ { 0xf0 }, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(vpmu_is_locked(rows[i].bytes, rows[i].count), rows[i].locked);
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
			assert_int_equal(vpmu_accesses_of(copy, size).store, VPMU_ORDINARY);
			free(copy);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(ways_to_access),
		cmocka_unit_test(one_access_whatever_happens),
		cmocka_unit_test(what_is_known_is_what_is_decoded),
		cmocka_unit_test(a_load_and_a_store_of_the_same_place),
		cmocka_unit_test(locked_instructions),
		cmocka_unit_test(short_reads),
	};

	return cmocka_run_group_tests_name("feed instructions", tests, NULL, NULL);
}
