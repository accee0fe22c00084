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

#define UNPUBLISHED_SECONDS 60	/* far more than it takes to publish a segment */

static bool is_itself(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static void remove_folder(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	if (fd < 0)
		return;
	dir = fstat(fd, &st) || st.st_uid != geteuid() ? NULL : fdopendir(fd);
	if (!dir) {
		close(fd);
		return;
	}
	while ((entry = readdir(dir)) != NULL)
		if (!is_itself(entry->d_name) && unlinkat(fd, entry->d_name, 0) &&
		    errno == EISDIR)
			remove_folder(fd, entry->d_name);
	closedir(dir);
	unlinkat(at, name, AT_REMOVEDIR);
}

void vpmu_folder_remove(const char *path)
{
	remove_folder(AT_FDCWD, path);
}

void vpmu_beside_remove(const char *path)
{
	char beside[PATH_MAX + 16];

	snprintf(beside, sizeof(beside), "%s.state", path);
	vpmu_folder_remove(beside);	/* as a boot empties /run */
	snprintf(beside, sizeof(beside), "%s" VPMU_SYSTEM_SUFFIX, path);
	vpmu_folder_remove(beside);
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
		vpmu_folder_remove(path);
	close(fd);
}

static bool is_unpublished(const char *name)
{
	return strstr(name, VPMU_UNPUBLISHED) != NULL;
}

/* In a folder of the user's choice nothing but that is certainly a run's own. */
static bool is_beside(const char *rest)
{
	static const char *const kinds[] = { "", ".xml", VPMU_SYSTEM_SUFFIX };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t n = strlen(kinds[i]);

		if (!strncmp(rest, kinds[i], n) &&
		    !strncmp(rest + n, VPMU_UNPUBLISHED, strlen(VPMU_UNPUBLISHED)))
			return true;
	}
	return false;
}

static bool is_killed_runs(const char *rest)
{
	const char *xml = strstr(rest, ".xml");

	return !xml || xml[4];	/* it goes with its segment */
}

static void sweep(const char *folder, const char *prefix, bool (*is_left)(const char *rest))
{
	size_t n = strlen(prefix);
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[PATH_MAX];

	while (dir && (entry = readdir(dir)) != NULL) {
		if (strncmp(entry->d_name, prefix, n) || !is_left(entry->d_name + n))
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) <
		    (int)sizeof(path))
			remove_unused(path, is_unpublished(entry->d_name));
	}
	if (dir)
		closedir(dir);
}

void vpmu_remains_sweep(const char *path, bool named)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path + 1) : 1,
		 slash ? path : ".");
	if (named)
		sweep(folder, slash ? slash + 1 : path, is_beside);
	else
		sweep(folder, "", is_killed_runs);
}
