/* SPDX-License-Identifier: MIT */
/* Symbols of executed files: of this test's own, whose addresses are known, and of files that are
 * cut off or changed at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dlfcn.h>

#include "virtual_pmu/feed/profile/symbols.h"

int a_variable_of_the_test[25] = { 1 };
void a_function_of_the_test(void);

void a_function_of_the_test(void)
{
	a_variable_of_the_test[0]++;
}

static unsigned char *file;
static size_t bytes;

struct seen { uint64_t function, variable, variable_bytes; uint32_t symbols, allocators; };

static void see(void *to, const struct vpmu_symbol *s)
{
	struct seen *seen = to;

	seen->symbols += strlen(s->name) < 100000;	/* reads the name */
	seen->allocators += s->allocator != VPMU_NO_ALLOCATOR;
	if (!strcmp(s->name, "a_function_of_the_test") && s->function)
		seen->function = s->address;
	if (!strcmp(s->name, "a_variable_of_the_test") && !s->function) {
		seen->variable = s->address;
		seen->variable_bytes = s->bytes;
	}
}

static int read_file(const char *path)
{
	FILE *in = fopen(path, "re");

	if (!in)
		return -1;
	bytes = 0;
	for (size_t n = 1; n; bytes += n) {
		file = realloc(file, bytes + 65536);
		assert_non_null(file);
		n = fread(file + bytes, 1, 65536, in);
	}
	fclose(in);
	return 0;
}

/* In a position-independent executable the file's addresses and those of memory differ by the same
 * amount everywhere. */
static void addresses_are_those_of_the_program(void **state)
{
	struct seen seen = { 0 };
	uint64_t between = (uint64_t)(uintptr_t)a_variable_of_the_test -
			   (uint64_t)(uintptr_t)a_function_of_the_test;

	(void)state;
	assert_int_equal(read_file("/proc/self/exe"), 0);
	vpmu_elf_symbols((struct vpmu_elf){ file, bytes }, see, &seen);
	assert_true(seen.function);
	assert_int_equal(seen.variable - seen.function, between);
	assert_in_range(seen.variable_bytes, sizeof(a_variable_of_the_test),
			2 * sizeof(a_variable_of_the_test));	/* a sanitizer adds to it */
}

static void the_c_library_allocates(void **state)
{
	struct seen seen = { 0 };
	void *at = dlsym(RTLD_DEFAULT, "malloc");
	Dl_info info;

	(void)state;
	if (!at || !dladdr(at, &info) || read_file(info.dli_fname))
		skip();
	vpmu_elf_symbols((struct vpmu_elf){ file, bytes }, see, &seen);
	/* malloc, calloc, realloc, free, aligned_alloc, memalign, posix_memalign */
	assert_true(seen.allocators >= 7);
}

static void allocators_have_names(void **state)
{
	(void)state;
	assert_int_equal(vpmu_allocator_named("malloc"), VPMU_MALLOC);
	assert_int_equal(vpmu_allocator_named("posix_memalign"), VPMU_ALIGNED_TO);
	assert_int_equal(vpmu_allocator_named("_Znwm"), VPMU_MALLOC);
	assert_int_equal(vpmu_allocator_named("_ZdaPvm"), VPMU_FREE);
	assert_int_equal(vpmu_allocator_named("mallocs"), VPMU_NO_ALLOCATOR);
}

/* ---- stubs and segments of a file made here ---- */

static uint64_t stub_start, stub_bytes;

static void see_stub(void *to, uint64_t start, uint64_t count)
{
	uint32_t *stubs = to;

	++*stubs;
	stub_start = start;
	stub_bytes = count;
}

static void put(size_t at, size_t size, uint64_t value)
{
	memcpy(file + at, &value, size);
}

/* A segment of 0x500 bytes at offset 0x1100 for address 0x401100, and sections "", ".plt.sec" and
 * the names. */
static void make_file(void)
{
	static const char names[] = "\0.plt.sec";

	bytes = 0x1000;
	file = realloc(file, bytes);
	memset(file, 0, bytes);
	memcpy(file, "\177ELF\2\1\1", 7);
	put(18, 2, 62);		/* e_machine: x86-64 */
	put(32, 8, 64);		/* e_phoff */
	put(40, 8, 0x200);	/* e_shoff */
	put(56, 2, 1);		/* e_phnum */
	put(60, 2, 3);		/* e_shnum */
	put(62, 2, 2);		/* e_shstrndx */
	put(64, 4, 1);		/* PT_LOAD */
	put(64 + 8, 8, 0x1100);
	put(64 + 16, 8, 0x401100);
	put(64 + 32, 8, 0x500);
	put(0x240, 4, 1);	/* sh_name of section 1 */
	put(0x240 + 8, 8, 4);	/* SHF_EXECINSTR */
	put(0x240 + 16, 8, 0x401200);
	put(0x240 + 32, 8, 0x40);
	put(0x280 + 24, 8, 0x800);	/* sh_offset of section 2 */
	put(0x280 + 32, 8, sizeof(names));
	memcpy(file + 0x800, names, sizeof(names));
}

static void segments_and_stubs_are_found(void **state)
{
	struct vpmu_elf elf;
	uint64_t bias = 0;
	uint32_t stubs = 0;

	(void)state;
	make_file();
	elf = (struct vpmu_elf){ file, bytes };
	/* The mapping begins at the page of the segment. */
	assert_true(vpmu_elf_bias(elf, 0x7f0000001000, 0x1000, &bias));
	assert_int_equal(bias, 0x7f0000001000 - 0x401000);
	assert_false(vpmu_elf_bias(elf, 0x7f0000001000, 0x2000, &bias));
	vpmu_elf_stubs(elf, see_stub, &stubs);
	assert_int_equal(stubs, 1);
	assert_int_equal(stub_start, 0x401200);
	assert_int_equal(stub_bytes, 0x40);
	put(18, 2, 183);	/* another processor's */
	assert_false(vpmu_elf_bias(elf, 0x7f0000001000, 0x1000, &bias));
}

/* The address sanitizer sees each byte that is read outside of the file. */
static void damaged_files_are_read_without_harm(void **state)
{
	unsigned char *whole;
	size_t all;

	(void)state;
	assert_int_equal(read_file("/proc/self/exe"), 0);
	whole = file;
	all = bytes;
	file = NULL;
	srand(1);
	for (int i = 0; i < 60; i++) {
		struct seen seen = { 0 };
		uint32_t stubs = 0;
		uint64_t bias;
		size_t size = i % 2 ? all : (size_t)rand() % all;
		unsigned char *copy = malloc(size + 1);

		assert_non_null(copy);
		memcpy(copy, whole, size);
		for (int k = 0; k < 40 && size > 64; k++)	/* most of them in headers */
			copy[(size_t)rand() % (k % 4 ? 64 : size)] = (unsigned char)rand();
		if (size > 64)
			memcpy(copy, whole, 20);
		vpmu_elf_symbols((struct vpmu_elf){ copy, size }, see, &seen);
		vpmu_elf_stubs((struct vpmu_elf){ copy, size }, see_stub, &stubs);
		vpmu_elf_bias((struct vpmu_elf){ copy, size }, 0x1000, 0x1000, &bias);
		free(copy);
	}
	free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_those_of_the_program),
		cmocka_unit_test(the_c_library_allocates),
		cmocka_unit_test(allocators_have_names),
		cmocka_unit_test(segments_and_stubs_are_found),
		cmocka_unit_test(damaged_files_are_read_without_harm),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(file);
	return failed;
}
