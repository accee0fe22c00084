/* SPDX-License-Identifier: MIT */
/* Files that come and go. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "page.h"

int scratch_make(struct scratch *s, char why[PAGE_WHY_MAX])
{
	const char *tmp = getenv("TMPDIR");

	if (!tmp || *tmp != '/' || strlen(tmp) > 40)
		tmp = "/tmp";
	snprintf(s->dir, sizeof(s->dir), "%s/ipmu-run.XXXXXX", tmp);
	if (mkdtemp(s->dir))
		return 0;
	snprintf(why, PAGE_WHY_MAX, "no folder can be made in %s: %s", tmp, strerror(errno));
	s->dir[0] = '\0';
	return -errno;
}

void scratch_path(const struct scratch *s, const char *name, char out[128])
{
	snprintf(out, 128, "%s/%s", s->dir, name);
}

void scratch_remove(struct scratch *s)
{
	DIR *dir = s->dir[0] ? opendir(s->dir) : NULL;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL)
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	if (s->dir[0])
		rmdir(s->dir);
	s->dir[0] = '\0';
}
