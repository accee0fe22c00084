/* SPDX-License-Identifier: MIT */
/* Files for helpers, in memory: nothing is left of them in any folder. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "page.h"

/* -1: there is no room. Helpers inherit it. */
int scratch_file(struct scratch *s, const char *name)
{
	struct scratch_file *more;

	for (int i = 0; i < s->n; i++)
		if (!strcmp(s->files[i].name, name))
			return s->files[i].fd;
	more = realloc(s->files, (size_t)(s->n + 1) * sizeof(*more));
	if (!more)
		return -1;
	s->files = more;
	more[s->n].fd = memfd_create(name, 0);
	snprintf(more[s->n].name, sizeof(more->name), "%s", name);
	return more[s->n++].fd;
}

void scratch_path(struct scratch *s, const char *name, char out[SCRATCH_PATH_MAX])
{
	snprintf(out, SCRATCH_PATH_MAX, "/proc/self/fd/%d", scratch_file(s, name));
}

void scratch_free(struct scratch *s)
{
	for (int i = 0; i < s->n; i++)
		if (s->files[i].fd >= 0)
			close(s->files[i].fd);
	free(s->files);
	*s = (struct scratch){ .n = 0 };
}
