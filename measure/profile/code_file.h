/* SPDX-License-Identifier: MIT */
/* Symbols and lines of one file with code. Addresses are the file's own. */
#ifndef IPMU_PROFILE_CODE_FILE_H
#define IPMU_PROFILE_CODE_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct code_file;

/* Texts live as long as the file is open. */
struct code_place {
	const char *name;	/* NULL: only the function's begin is known */
	uint64_t start;
	const char *home, *file;	/* source of the function, of the line; NULL: unknown */
	int home_line, line;
};

/* NULL: no memory. A file that cannot be read has no functions. */
struct code_file *code_file_open(const char *path);
void code_file_close(struct code_file *f);
/* The address of what stands at a place of the file. */
uint64_t code_file_address(const struct code_file *f, uint64_t offset);
/* False: no function is known there. */
bool code_file_find(struct code_file *f, uint64_t address, struct code_place *out);
/* The name as C++ has it, for free(); NULL: it is none of C++. */
char *code_file_demangle(const char *name);
/* False: built without libdw. */
bool code_file_known(void);

#endif
