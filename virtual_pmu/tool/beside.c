/* SPDX-License-Identifier: MIT */
/* The directories that lie beside a segment: which of them can be trusted, and the one in which
 * programs keep their state. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

const char *vpmu_beside_unusable(const struct vpmu_place *place, const char *path)
{
	struct stat st, segment;

	if (lstat(path, &st))
		return strerror(errno);
	if (!S_ISDIR(st.st_mode))
		return "it is no directory";
	if (st.st_uid != geteuid() && (!place->keep || fstat(place->fd, &segment) ||
				       segment.st_uid != st.st_uid))
		return "it belongs to another user";
	return st.st_mode & (S_IWGRP | S_IWOTH) ? "others may write it" : NULL;
}

int vpmu_state_make(const struct vpmu_place *place)
{
	const char *wrong = NULL;

	if (mkdir(place->state, 0700))
		wrong = errno == EEXIST ? vpmu_beside_unusable(place, place->state) :
				    strerror(errno);
	if (!wrong)
		return 0;
	vpmu_complain("%s: cannot be the directory of what programs keep about this machine: %s; "
		      "remove it, or name another segment with -s", place->state, wrong);
	return VPMU_EXIT_FAILURE;
}
