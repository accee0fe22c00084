/* SPDX-License-Identifier: MIT */
/* Programs that draw for ours. */
#ifndef IPMU_HELPER_H
#define IPMU_HELPER_H

#include <stddef.h>
#include <sys/types.h>

struct helper {
	const char *package;	/* of Debian, that has it; NULL: it is ours, and beside us */
	const char *const *hidden;	/* beginnings of variables that it must not see; NULL */
	int in, out;		/* its standard input (-1: nothing to read) and output */
	const char *name;
	pid_t pid;
	int error;
};

/* Starts the program argv[0] as the first members say; helper_wait() reports an error. Libraries
 * that a virtual machine preloads into programs are for counted ones: this one goes without. */
void helper_start(struct helper *h, const char *const argv[]);
/* 0, or a negative errno with a sentence. */
int helper_wait(struct helper *h, char *why, size_t why_bytes);

#endif
