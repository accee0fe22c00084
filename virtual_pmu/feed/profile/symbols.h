/* SPDX-License-Identifier: MIT */
/* Reads what a profile needs of an ELF file that a program executes: where functions begin, which
 * of them allocate memory, where the stubs of the procedure linkage table are, and its variables.
 * .symtab and .dynsym are both read, since a stripped file has only the latter. The file belongs to
 * the program and may be damaged: nothing outside of its bytes is read. */
#ifndef VPMU_FEED_SYMBOLS_H
#define VPMU_FEED_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vpmu_allocator {
	VPMU_NO_ALLOCATOR,
	VPMU_MALLOC,		/* bytes is the 1st argument, the result is the block */
	VPMU_CALLOC,		/* 1st times 2nd */
	VPMU_REALLOC,		/* of the 1st, to 2nd bytes */
	VPMU_REALLOC_ARRAY,	/* of the 1st, to 2nd times 3rd */
	VPMU_ALIGNED,		/* 2nd */
	VPMU_ALIGNED_TO,	/* 3rd; the block's address is stored to the 1st */
	VPMU_FREE,		/* of the 1st */
};

struct vpmu_symbol {
	const char *name;
	uint64_t address, bytes;	/* address: as the file has it */
	bool function;			/* else a variable */
	enum vpmu_allocator allocator;
};

struct vpmu_elf { const unsigned char *data; size_t bytes; };

/* Finds what is added to the file's addresses where this offset of it is mapped at `address`.
 * False: no segment has the offset, or it is no ELF file for x86-64. */
bool vpmu_elf_bias(struct vpmu_elf elf, uint64_t address, uint64_t offset, uint64_t *bias);
/* Calls back for each function and each variable with a size. A function or variable with several
 * names comes several times. */
void vpmu_elf_symbols(struct vpmu_elf elf, void (*each)(void *to, const struct vpmu_symbol *s),
		      void *to);
/* Calls back for each section of stubs that jump to a function of another file. */
void vpmu_elf_stubs(struct vpmu_elf elf, void (*each)(void *to, uint64_t start, uint64_t bytes),
		    void *to);
/* The allocator of that name. */
enum vpmu_allocator vpmu_allocator_named(const char *name);

#endif
