/* SPDX-License-Identifier: MIT */
#include "pmutopo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int line_refuse(const struct line *l, const char *what, const char *word)
{
	snprintf(l->why, IPMU_WHY_MAX, "%s, line %d: %s '%.64s'", l->path, l->number, what, word);
	return -EINVAL;
}

int line_number(const struct line *l, const char *word, const char *digits, uint64_t most,
		uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(digits, &end, 10);
	if (*digits < '0' || *digits > '9' || *end || errno || *out > most)
		return line_refuse(l, "expected a number in", word);
	return 0;
}
