/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "collecting/counter_set.h"
#include "export.h"
#include "file_limit.h"
#include "formats.h"
#include "new_file.h"
#include "plain_numbers.h"

/* In one piece: other ranks' output may go to the same terminal, and stderr has no buffer. */
API int ipmu_mpi_report(const struct ipmu_mpi *m, FILE *to)
{
	char *text = NULL;
	size_t bytes = 0;
	locale_t before;
	FILE *memory;
	sigset_t signals;
	int rc = 0;

	if (!m->has_read)
		return -ENODATA;
	if (!m->nrows)
		return 0;
	memory = open_memstream(&text, &bytes);
	if (!memory)
		return -ENOMEM;
	before = plain_numbers_begin();
	text_print(memory, m);
	plain_numbers_end(before);
	file_limit_hold(&signals);
	if (fclose(memory))
		rc = -ENOMEM;
	else if (fwrite(text, 1, bytes, to) != bytes || fflush(to))
		rc = -EIO;
	file_limit_release(&signals);
	free(text);
	return rc;
}

static int publish(const char *path, int (*fill)(FILE *, const struct ipmu_mpi *),
		   const struct ipmu_mpi *m)
{
	locale_t before = plain_numbers_begin();
	struct new_file n;
	sigset_t signals;
	int rc = new_file_open(&n, path, 0666);

	file_limit_hold(&signals);
	if (!rc)
		rc = fill(n.f, m);
	plain_numbers_end(before);
	if (!rc)
		rc = new_file_publish(&n);
	new_file_drop(&n);
	file_limit_release(&signals);
	return rc;
}

API int ipmu_mpi_write(const struct ipmu_mpi *m, const char *prefix)
{
	static const struct {
		const char *suffix;
		int (*fill)(FILE *f, const struct ipmu_mpi *m);
	} files[] = { { "csv", csv_fill }, { "json", json_fill } };
	char path[PATH_MAX];
	int rc = m->has_read ? 0 : -ENODATA;

	if (!m->nrows)
		return rc;
	for (size_t i = 0; i < 2 && !rc; i++)
		rc = snprintf(path, sizeof(path), "%s.%s", prefix, files[i].suffix) <
		     (int)sizeof(path) ? publish(path, files[i].fill, m) : -ENAMETOOLONG;
	return rc;
}
