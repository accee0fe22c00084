/* SPDX-License-Identifier: MIT */
/* The files and folders beside a segment: which of them a run may use, how a folder gets its
 * name, and the one in which programs keep their state. Another user may make any name in a
 * shared folder, so each is checked after it is there: vpmu_beside_refused() before a new
 * segment takes over what an earlier one has left, vpmu_beside_unusable() before this run uses
 * it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

const char *vpmu_beside_unusable(const struct vpmu_place *place, const char *path,
				 enum own_name kind)
{
	struct stat segment;
	bool shared = place->keep && !fstat(place->fd, &segment);

	return own_name_wrong(path, kind, shared ? segment.st_uid : geteuid());
}

bool vpmu_beside_refused(const struct vpmu_place *place)
{
	const struct { const char *path; enum own_name kind; } names[] = {
		{ place->topology, OWN_TOPOLOGY }, { place->state, OWN_STATE },
		{ place->system, OWN_SYSTEM },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *wrong = own_name_wrong(names[i].path, names[i].kind, geteuid());

		if (!wrong)
			continue;
		vpmu_complain("%s: a new machine needs this name: %s; move it away, or name "
			      "another segment with -s", names[i].path, wrong);
		return true;
	}
	return false;
}

int vpmu_beside_begin(char temporary[PATH_MAX], const char *path, enum own_name kind)
{
	struct stat st;
	int fd, rc;

	if (snprintf(temporary, PATH_MAX, "%s" VPMU_UNPUBLISHED "XXXXXX", path) >= PATH_MAX)
		return -ENAMETOOLONG;
	fd = mkdtemp(temporary) ? open(temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
						  O_CLOEXEC) : -1;
	if (fd < 0)
		return -errno;
	/* In a folder that is not sticky, others may have put another directory there. */
	rc = fstat(fd, &st) ? -errno : st.st_uid == geteuid() ? own_name_mark(fd, kind) : -EPERM;
	if (!rc)
		return fd;
	close(fd);
	vpmu_folder_remove(temporary);
	return rc;
}

int vpmu_beside_publish(const char *temporary, const char *path)
{
	int rc = rename(temporary, path) ? errno : 0;

	if (rc)
		vpmu_folder_remove(temporary);
	return rc == EEXIST || rc == ENOTEMPTY ? 0 : rc;
}

static int make_state(const char *path)
{
	char temporary[PATH_MAX];
	int fd = vpmu_beside_begin(temporary, path, OWN_STATE);

	if (fd < 0)
		return -fd;
	close(fd);
	return vpmu_beside_publish(temporary, path);
}

int vpmu_state_make(const struct vpmu_place *place)
{
	struct stat st;
	int rc = lstat(place->state, &st) ? make_state(place->state) : 0;
	const char *wrong = rc ? strerror(rc) :
				 vpmu_beside_unusable(place, place->state, OWN_STATE);

	if (!wrong)
		return 0;
	vpmu_complain("%s: cannot be the directory of what programs keep about this machine: %s; "
		      "remove it, or name another segment with -s", place->state, wrong);
	return VPMU_EXIT_FAILURE;
}
