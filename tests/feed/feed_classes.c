/* SPDX-License-Identifier: MIT */
/* Classes of crafted instructions, whose bytes are what GNU as makes of the names. With "-" as
 * argument: a filter for feed_classes.sh, from lines "ADDRESS HEX-BYTES" to lines
 * "ADDRESS CLASS". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "virtual_pmu/feed/translate/instructions.h"

static const char *const branches[] = {
	"", " cond", " jump", " ijump", " call", " icall", " ret",
};
static const char *const units[] = {
	"", " x87", " move", " mmx", " int", " ps", " pd", " ss", " sd",
};
static const char *const prefetches[] = { "", " nta", " t0", " t1", " t2" };

static const char *text_of(const struct vpmu_class *c)
{
	static char text[160];

	snprintf(text, sizeof(text), "%s%s%s%s%s%s%s%s%s%s%s", branches[c->branch], units[c->unit],
		 prefetches[c->prefetch], c->vector ? " vector" : "", c->locked ? " locked" : "",
		 c->repeated ? " rep" : "", c->plain_load ? " load" : "", c->many ? " many" : "",
		 c->multiply ? " mul" : "", c->divide ? " div" : "", c->computes ? " comp" : "");
	if (c->elements)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " n%u", c->elements);
	return text[0] ? text + 1 : "-";
}

struct sample {
	const char *name;
	uint8_t size, bytes[15];
	const char *class;
};

static const struct sample samples[] = {
	{ "nop", 1, { 0x90 }, "-" },
	{ "pause", 2, { 0xf3, 0x90 }, "-" },
	{ "jne", 2, { 0x75, 0xfe }, "cond" },
	{ "jne near", 6, { 0x0f, 0x85, 0, 0, 0, 0 }, "cond" },
	{ "jrcxz", 2, { 0xe3, 0xfe }, "cond" },
	{ "loop", 2, { 0xe2, 0xfe }, "cond" },
	{ "jmp short", 2, { 0xeb, 0xfe }, "jump" },
	{ "bnd jmp *%rax", 3, { 0xf2, 0xff, 0xe0 }, "ijump" },
	{ "notrack jmp *%rax", 3, { 0x3e, 0xff, 0xe0 }, "ijump" },
	{ "jmp *8(%r12)", 5, { 0x41, 0xff, 0x64, 0x24, 0x08 }, "ijump" },
	{ "call", 5, { 0xe8, 0, 0, 0, 0 }, "call" },
	{ "data16 jmp", 6, { 0x66, 0xe9, 0, 0, 0, 0 }, "jump" },	/* 16 bits are AMD's way */
	{ "call *(%rax)", 2, { 0xff, 0x10 }, "icall" },
	{ "repz ret", 2, { 0xf3, 0xc3 }, "ret" },
	{ "ret $8", 3, { 0xc2, 8, 0 }, "ret" },
	{ "push (%rax)", 2, { 0xff, 0x30 }, "-" },
	{ "mov (%rax),%rbx", 3, { 0x48, 0x8b, 0x18 }, "load" },
	{ "mov %rax,%rbx", 3, { 0x48, 0x89, 0xc3 }, "-" },
	{ "mov %rbx,(%rax)", 3, { 0x48, 0x89, 0x18 }, "-" },
	{ "movslq (%rax),%rbx", 3, { 0x48, 0x63, 0x18 }, "load" },
	{ "movzwl (%rax),%ebx", 3, { 0x0f, 0xb7, 0x18 }, "load" },
	{ "movzwl %ax,%ebx", 3, { 0x0f, 0xb7, 0xd8 }, "-" },
	{ "lock incl (%rax)", 3, { 0xf0, 0xff, 0x00 }, "locked" },
	{ "xchg %rbx,(%rax)", 3, { 0x48, 0x87, 0x18 }, "locked" },
	{ "xchg %rbx,%rax", 3, { 0x48, 0x87, 0xd8 }, "-" },
	{ "rep stos", 3, { 0xf3, 0x48, 0xab }, "rep" },
	{ "stos", 2, { 0x48, 0xab }, "-" },
	{ "repz cmpsb", 2, { 0xf3, 0xa6 }, "rep many" },
	{ "imul $3,%eax,%ebx", 3, { 0x6b, 0xd8, 3 }, "mul" },
	{ "imul %ebx,%eax", 3, { 0x0f, 0xaf, 0xc3 }, "mul" },
	{ "mul %rbx", 3, { 0x48, 0xf7, 0xe3 }, "mul" },
	{ "mulx %rax,%rbx,%rcx", 5, { 0xc4, 0xe2, 0xe3, 0xf6, 0xc8 }, "mul" },
	{ "idivb (%rax)", 2, { 0xf6, 0x38 }, "div" },
	{ "not %rbx", 3, { 0x48, 0xf7, 0xd3 }, "-" },
	{ "prefetcht0 (%rax)", 3, { 0x0f, 0x18, 0x08 }, "t0" },
	{ "prefetchnta (%rax)", 3, { 0x0f, 0x18, 0x00 }, "nta" },
	{ "prefetcht2 (%rax)", 3, { 0x0f, 0x18, 0x18 }, "t2" },
	{ "prefetchw (%rax)", 3, { 0x0f, 0x0d, 0x08 }, "t0" },
	{ "endbr64", 4, { 0xf3, 0x0f, 0x1e, 0xfa }, "-" },
	{ "nopw (%rax)", 4, { 0x66, 0x0f, 0x1f, 0x00 }, "-" },
	{ "cmovne (%rax),%rbx", 4, { 0x48, 0x0f, 0x45, 0x18 }, "-" },
	{ "kmovb %eax,%k1", 4, { 0xc5, 0xf9, 0x92, 0xc8 }, "-" },
	{ "flds (%rax)", 2, { 0xd9, 0x00 }, "move load" },
	{ "fstpt (%rax)", 2, { 0xdb, 0x38 }, "move" },
	{ "fldt (%rax)", 2, { 0xdb, 0x28 }, "move load" },
	{ "fxch", 2, { 0xd9, 0xc9 }, "move" },
	{ "fmul %st(1),%st", 2, { 0xd8, 0xc9 }, "x87 mul comp" },
	{ "fdivrl (%rax)", 2, { 0xdc, 0x38 }, "x87 div comp" },
	{ "fsqrt", 2, { 0xd9, 0xfa }, "x87 div comp" },
	{ "fcmovbe", 2, { 0xda, 0xd1 }, "x87" },
	{ "fldcw (%rax)", 2, { 0xd9, 0x28 }, "x87" },
	{ "fld1", 2, { 0xd9, 0xe8 }, "x87" },
	{ "fchs", 2, { 0xd9, 0xe0 }, "x87" },
	{ "fucomi %st(1),%st", 2, { 0xdb, 0xe9 }, "x87 comp" },
	{ "movaps (%rax),%xmm1", 3, { 0x0f, 0x28, 0x08 }, "move vector load n4" },
	{ "movaps %xmm1,(%rax)", 3, { 0x0f, 0x29, 0x08 }, "move vector n4" },
	{ "movsd (%rax),%xmm1", 4, { 0xf2, 0x0f, 0x10, 0x08 }, "move vector load n1" },
	{ "movups %xmm2,%xmm1", 3, { 0x0f, 0x10, 0xca }, "move vector n4" },
	{ "vmovupd (%rax),%ymm1", 4, { 0xc5, 0xfd, 0x10, 0x08 }, "move vector load n4" },
	{ "vmovdqu (%r9),%ymm1", 5, { 0xc4, 0xc1, 0x7e, 0x6f, 0x09 }, "move vector load n8" },
	{ "movq (%rax),%mm1", 3, { 0x0f, 0x6f, 0x08 }, "move load" },
	{ "paddb %mm2,%mm1", 3, { 0x0f, 0xfc, 0xca }, "mmx" },
	{ "paddb %xmm2,%xmm1", 4, { 0x66, 0x0f, 0xfc, 0xca }, "int vector n4" },
	{ "pmuludq %xmm2,%xmm1", 4, { 0x66, 0x0f, 0xf4, 0xca }, "int vector mul n4" },
	{ "addps %xmm2,%xmm1", 3, { 0x0f, 0x58, 0xca }, "ps vector comp n4" },
	{ "addsd %xmm2,%xmm1", 4, { 0xf2, 0x0f, 0x58, 0xca }, "sd vector comp n1" },
	{ "mulpd %xmm9,%xmm8", 5, { 0x66, 0x45, 0x0f, 0x59, 0xc1 }, "pd vector mul comp n2" },
	{ "divss %xmm2,%xmm1", 4, { 0xf3, 0x0f, 0x5e, 0xca }, "ss vector div comp n1" },
	{ "cvtsi2sd %rax,%xmm1", 5, { 0xf2, 0x48, 0x0f, 0x2a, 0xc8 }, "sd vector comp n1" },
	{ "vaddpd %ymm3,%ymm2,%ymm1", 4, { 0xc5, 0xed, 0x58, 0xcb }, "pd vector comp n4" },
	{ "vfmadd231sd %xmm3,%xmm2,%xmm1", 5, { 0xc4, 0xe2, 0xe9, 0xb9, 0xcb },
	  "sd vector mul comp n1" },
	{ "vfmaddsub132ps %ymm3,%ymm2,%ymm1", 5, { 0xc4, 0xe2, 0x6d, 0x96, 0xcb },
	  "ps vector mul comp n8" },
	{ "shufps $0,%xmm2,%xmm1", 4, { 0x0f, 0xc6, 0xca, 0 }, "ps vector n4" },
	{ "unpcklpd %xmm2,%xmm1", 4, { 0x66, 0x0f, 0x14, 0xca }, "pd vector n2" },
	{ "xorps %xmm2,%xmm1", 3, { 0x0f, 0x57, 0xca }, "ps vector n4" },
	{ "ucomisd %xmm2,%xmm1", 4, { 0x66, 0x0f, 0x2e, 0xca }, "sd vector comp n1" },
	{ "cvtps2dq %xmm2,%xmm1", 4, { 0x66, 0x0f, 0x5b, 0xca }, "ps vector comp n4" },
	{ "vzeroupper", 3, { 0xc5, 0xf8, 0x77 }, "-" },
	{ "emms", 2, { 0x0f, 0x77 }, "mmx" },
	{ "palignr $4,%xmm2,%xmm1", 6, { 0x66, 0x0f, 0x3a, 0x0f, 0xca, 4 }, "int vector n4" },
	{ "movbe (%rax),%ebx", 4, { 0x0f, 0x38, 0xf0, 0x18 }, "load" },
	{ "crc32b (%rax),%ebx", 5, { 0xf2, 0x0f, 0x38, 0xf0, 0x18 }, "-" },
	{ "vaddps %zmm3,%zmm2,%zmm1", 6, { 0x62, 0xf1, 0x6c, 0x48, 0x58, 0xcb }, "-" },
};

static void classes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *s = &samples[i];
		struct vpmu_class c = vpmu_class_of(s->bytes, s->size);

		if (strcmp(text_of(&c), s->class))
			fail_msg("%s is '%s', not '%s'", s->name, text_of(&c), s->class);
	}
}

/* An instruction cut short must not be read beyond its end: the sanitizer sees it. */
static void short_reads(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		for (size_t size = 0; size < samples[i].size; size++) {
			uint8_t *copy = malloc(size);

			if (size)
				memcpy(copy, samples[i].bytes, size);
			struct vpmu_class class = vpmu_class_of(copy, size);

			if (strcmp(text_of(&class), "-"))
				fail_msg("%zu bytes of %s are '%s'", size, samples[i].name,
					 text_of(&class));
			free(copy);
		}
	}
}

static size_t read_hex(const char *text, uint8_t *bytes, size_t most)
{
	size_t n = 0;
	unsigned int byte;

	for (; n < most && sscanf(text, "%2x", &byte) == 1; text += 2)
		bytes[n++] = (uint8_t)byte;
	return n;
}

static int filter(void)
{
	char line[256], address[64], hex[64];

	while (fgets(line, sizeof(line), stdin)) {
		uint8_t bytes[15] = { 0 };
		struct vpmu_class c;
		size_t size;

		if (sscanf(line, "%63s %63s", address, hex) != 2)
			return 1;
		size = read_hex(hex, bytes, sizeof(bytes));
		c = vpmu_class_of(bytes, size);
		printf("%s %s\n", address, text_of(&c));
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes),
		cmocka_unit_test(short_reads),
	};

	if (argc > 1 && !strcmp(argv[1], "-"))
		return filter();
	return cmocka_run_group_tests_name("feed classes", tests, NULL, NULL);
}
