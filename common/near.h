/* SPDX-License-Identifier: MIT */
/* The names nearest to a mistyped one. */
#ifndef IPMU_NEAR_H
#define IPMU_NEAR_H

#include <stddef.h>

struct near {
	const char *typed;
	size_t cost;		/* of the names found so far; a name that costs more is not near */
	char names[256];	/* "MEM, LLC"; "": none */
};

void near_begin(struct near *n, const char *typed);
/* `shown` is listed if no name before was nearer than `name` is. */
void near_try(struct near *n, const char *name, const char *shown);
/* The near names in a sentence, "; nearest: MEM", or "". Returns text. */
const char *near_text(const struct near *n, char *text, size_t bytes);

#endif
