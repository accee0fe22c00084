/* SPDX-License-Identifier: MIT */
/* Removes what lies beside a segment (vpmu_beside_remove(), vpmu_remains_remove()), and what killed
 * runs have left (vpmu_remains_sweep()). A segment is removed only under its exclusive flock, so no
 * run uses it. Nothing of another user is removed and no symbolic link is followed: in /dev/shm and
 * in shared folders anybody can make files of any name. In a folder that the user has named, only
 * what carries the mark of a run (own_name.h) is removed. */
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

static bool is_same(int at, const char *name, const struct stat *st)
{
	struct stat there;

	return !fstatat(at, name, &there, AT_SYMLINK_NOFOLLOW) && there.st_ino == st->st_ino &&
	       there.st_dev == st->st_dev;
}

static void remove_folder(int at, const char *name);

/* Closes fd, the folder. A folder that has taken its name meanwhile stays. */
static void remove_open_folder(int fd, int at, const char *name)
{
	struct dirent *entry;
	struct stat st;
	DIR *dir;

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
	if (is_same(at, name, &st))
		unlinkat(at, name, AT_REMOVEDIR);
}

static void remove_folder(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		remove_open_folder(fd, at, name);
}

void vpmu_folder_remove(const char *path)
{
	remove_folder(AT_FDCWD, path);
}

/* Closes fd, the file of this path. A file that has taken its name meanwhile stays. */
static void remove_open_file(int fd, const char *path)
{
	struct stat st;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    is_same(AT_FDCWD, path, &st))
		unlink(path);
	close(fd);
}

void vpmu_beside_remove(const char *path)
{
	static const enum own_name kinds[] = {
		OWN_STATE,	/* as a boot empties /run */
		OWN_SYSTEM, OWN_TOPOLOGY,
	};
	char beside[PATH_MAX + 16];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct own_name_row *row = &own_names[kinds[i]];
		int fd;

		snprintf(beside, sizeof(beside), "%s%s", path, row->ending);
		fd = open(beside, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0 && !own_name_marked(fd, kinds[i]))
			close(fd);
		else if (fd >= 0 && row->folder)
			remove_open_folder(fd, AT_FDCWD, beside);
		else if (fd >= 0)
			remove_open_file(fd, beside);
	}
}

void vpmu_remains_remove(const char *path)
{
	vpmu_beside_remove(path);
	unlink(path);
}

/* Every run on a machine holds a lock on its segment for as long as it lives. What is not published
 * yet has none. segment: NULL, or the one that this file or folder is beside, which has to be gone:
 * a run without a free descriptor cannot remove what is beside. The segment is checked for after
 * this is opened, so what a new run of that name makes is another file or folder. mark: the kind
 * whose mark it has to carry; OWN_NAMES: none, because the folder has nothing but our runs'
 * files. */
static void remove_unused(const char *path, const char *segment, bool unpublished,
			  enum own_name mark)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st, there;

	if (fd < 0)
		return;
	if (fstat(fd, &st) || st.st_uid != geteuid() ||
	    (unpublished && time(NULL) - st.st_ctime <= UNPUBLISHED_SECONDS) ||
	    (segment && (!lstat(segment, &there) || errno != ENOENT)) ||
	    (mark != OWN_NAMES && !own_name_marked(fd, mark)))
		st.st_mode = 0;
	if (S_ISREG(st.st_mode) && !flock(fd, LOCK_EX | LOCK_NB) &&
	    is_same(AT_FDCWD, path, &st))
		vpmu_remains_remove(path);
	if (S_ISDIR(st.st_mode) && (unpublished || segment))
		remove_open_folder(fd, AT_FDCWD, path);
	else
		close(fd);
}

static bool is_unpublished(const char *name)
{
	return strstr(name, VPMU_UNPUBLISHED) != NULL;
}

/* Returns the kind of what a run has in the making, by the rest of its name behind the segment's.
 * OWN_NAMES: it is something else. */
static enum own_name unpublished_kind(const char *rest)
{
	static const enum own_name kinds[] = { OWN_SEGMENT, OWN_TOPOLOGY, OWN_STATE, OWN_SYSTEM };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *ending = own_names[kinds[i]].ending;
		size_t n = strlen(ending);

		if (!strncmp(rest, ending, n) &&
		    !strncmp(rest + n, VPMU_UNPUBLISHED, strlen(VPMU_UNPUBLISHED)))
			return kinds[i];
	}
	return OWN_NAMES;
}

/* Length of the segment's name in the name of what is beside it; 0: another name. A job may be
 * called "x.xml": its segment in use is locked, and so stays. */
static size_t name_before(const char *name)
{
	static const enum own_name kinds[] = { OWN_TOPOLOGY, OWN_STATE, OWN_SYSTEM };
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *ending = own_names[kinds[i]].ending;
		size_t e = strlen(ending);

		if (n > e && !strcmp(name + n - e, ending))
			return n - e;
	}
	return 0;
}

/* name: of a segment that the user named; NULL: the folder has nothing but our runs' files. */
static void sweep(const char *folder, const char *name)
{
	size_t n = name ? strlen(name) : 0;
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[PATH_MAX], segment[PATH_MAX];

	while (dir && (entry = readdir(dir)) != NULL) {
		size_t before = name ? 0 : name_before(entry->d_name);
		enum own_name mark = name && !strncmp(entry->d_name, name, n) ?
				     unpublished_kind(entry->d_name + n) : OWN_NAMES;

		if (is_itself(entry->d_name) || (name && mark == OWN_NAMES))
			continue;
		if (snprintf(path, sizeof(path), "%s%s", folder, entry->d_name) >=
		    (int)sizeof(path))
			continue;
		snprintf(segment, sizeof(segment), "%.*s", (int)(strlen(folder) + before), path);
		remove_unused(path, before ? segment : NULL, is_unpublished(entry->d_name), mark);
	}
	if (dir)
		closedir(dir);
}

void vpmu_remains_sweep(const char *path, bool named)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path + 1) : 2,
		 slash ? path : "./");
	sweep(folder, !named ? NULL : slash ? slash + 1 : path);
}
