/* SPDX-License-Identifier: MIT */
#include "pmutopo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int refuse_file(const struct line *l)
{
	int rc = errno ? -errno : -EIO;

	snprintf(l->why, IPMU_WHY_MAX, "%s: %s", l->path, strerror(-rc));
	return rc;
}

int lines_read(struct line *l, int (*take)(void *to, char *text), void *to)
{
	char *text = NULL;
	size_t bytes = 0;
	int rc = 0;
	FILE *f = fopen(l->path, "re");

	if (!f)
		return refuse_file(l);
	errno = 0;
	while (!rc && getline(&text, &bytes, f) >= 0) {
		l->number++;
		rc = take(to, text);
	}
	if (!rc && ferror(f))
		rc = refuse_file(l);
	free(text);
	fclose(f);
	return rc;
}
