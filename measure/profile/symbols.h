/* SPDX-License-Identifier: MIT */
/* Names of instructions: function, source line and file, from symbol tables, debugging information
 * and tables of unwinding. */
#ifndef IPMU_PROFILE_SYMBOLS_H
#define IPMU_PROFILE_SYMBOLS_H

#include "profile.h"

/* Equal texts are the same pointer, which lives as long as the symbols. */
struct place {
	const char *object;	/* the mapped file */
	const char *function;	/* the one whose machine code it is */
	const char *home;	/* the function's source file; "": not known */
	int home_line;		/* 0: not known */
	const char *file;	/* source file of the line, which an inlined function may have */
	int line;		/* 0: not known */
	uint64_t address;	/* as the file has it */
};

struct symbols;

struct symbols *symbols_open(void);	/* NULL: no memory */
void symbols_close(struct symbols *s);
/* Fills an out[] for each spot of the profile. 0 or -ENOMEM. */
int symbols_find(struct symbols *s, const struct profile *p, struct place *out);
/* The text, as all others of its kind; NULL: no memory. */
const char *symbols_text(struct symbols *s, const char *text);
/* The name of a symbol as C++ has it, or itself; NULL: no memory. */
const char *symbols_name(struct symbols *s, const char *name);
/* False: this program was built without libdw, so that code has neither names nor lines. */
bool symbols_known(void);

#endif
