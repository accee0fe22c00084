/* SPDX-License-Identifier: MIT */
/* Removes what lies beside a segment, and what killed runs have left. It removes nothing that
 * belongs to another user and follows no symbolic link: in /dev/shm and in shared folders anybody
 * can make files of any name. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

#define SHARED_MEMORY "/dev/shm"
#define UNPUBLISHED_SECONDS 60	/* far more than it takes to publish a segment */

/* A machine that is switched on starts with nothing, as a boot empties /run. */
static void remove_state(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	if (fd < 0)
		return;
	if (fstat(fd, &st) || st.st_uid != geteuid()) {
		close(fd);
		return;
	}
	dir = fdopendir(fd);
	while (dir && (entry = readdir(dir)) != NULL)
		unlinkat(fd, entry->d_name, 0);
	if (dir)
		closedir(dir);
	else
		close(fd);
	rmdir(path);
}

void vpmu_beside_remove(const char *path)
{
	char beside[PATH_MAX + 16];

	snprintf(beside, sizeof(beside), "%s.state", path);
	remove_state(beside);
	snprintf(beside, sizeof(beside), "%s" VPMU_SYSTEM_SUFFIX, path);
	vpmu_system_remove(beside);
	snprintf(beside, sizeof(beside), "%s.xml", path);
	unlink(beside);
}

void vpmu_remains_remove(const char *path)
{
	vpmu_beside_remove(path);
	unlink(path);
}

static bool is_same(const struct stat *st, const char *path)
{
	struct stat there;

	return !lstat(path, &there) && there.st_ino == st->st_ino && there.st_dev == st->st_dev;
}

/* Every run on a machine holds a lock on its segment for as long as it lives. What is not published
 * yet has none. */
static void remove_unused(const char *path, bool unpublished)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) || st.st_uid != geteuid() ||
	    (unpublished && time(NULL) - st.st_ctime <= UNPUBLISHED_SECONDS))
		st.st_mode = 0;
	if (S_ISREG(st.st_mode) && !flock(fd, LOCK_EX | LOCK_NB) && is_same(&st, path))
		vpmu_remains_remove(path);
	if (S_ISDIR(st.st_mode) && unpublished)
		vpmu_system_remove(path);
	close(fd);
}

void vpmu_remains_sweep(void)
{
	char prefix[32], path[sizeof(SHARED_MEMORY) + NAME_MAX + 2];
	DIR *dir = opendir(SHARED_MEMORY);
	struct dirent *entry;

	snprintf(prefix, sizeof(prefix), VPMU_SEGMENT_PREFIX, (unsigned int)geteuid());
	while (dir && (entry = readdir(dir)) != NULL) {
		const char *xml = strstr(entry->d_name, ".xml");

		if (strncmp(entry->d_name, prefix, strlen(prefix)) || (xml && !xml[4]))
			continue;
		snprintf(path, sizeof(path), "%s/%s", SHARED_MEMORY, entry->d_name);
		remove_unused(path, strstr(entry->d_name, VPMU_UNPUBLISHED));
	}
	if (dir)
		closedir(dir);
}
