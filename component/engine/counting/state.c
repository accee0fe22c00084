/* SPDX-License-Identifier: MIT */
#include "state.h"

#include "../why.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define ATTEMPTS 100

static const char *prefix(const struct ipmu_family *family)
{
	return family->scope == IPMU_SCOPE_PACKAGE ? "package-" : "cpu-";
}

void ipmu_state_name(const struct ipmu_family *family, int place, char name[64])
{
	snprintf(name, 64, "%s%d.%.32s", prefix(family), place, family->name);
}

int ipmu_state_place(const struct ipmu_family *family, const char *name)
{
	size_t n = strlen(prefix(family));
	char again[64], *end;
	long place;

	if (strncmp(name, prefix(family), n) != 0 || !isdigit((unsigned char)name[n]))
		return -EINVAL;
	place = strtol(name + n, &end, 10);
	if (place > 99999)
		return -EINVAL;
	ipmu_state_name(family, (int)place, again);
	return strcmp(name, again) == 0 ? (int)place : -EINVAL;
}

/* ---- the directory */

static int refuse_directory(const char *path, int error, char *why)
{
	return ipmu_fail(why, -error, "%s: %s: processes that count agree there on who has which "
			 "counters; let an administrator make it ('install -d -m 1777 %s', or for "
			 "a group with -m 2770 -g GROUP), set IPMU_STATE_DIR to a directory that "
			 "all who count here can write, or, if nobody else counts, to 'none'",
			 path, strerror(error), path);
}

static int check_directory(int dir, const char *path, bool named, char *why)
{
	struct stat st;

	if (fstat(dir, &st))
		return refuse_directory(path, errno, why);
	if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
		return ipmu_fail(why, -EACCES, "%s: anybody may replace the files in it: 'chmod "
				 "+t %s'", path, path);
	if (!named && st.st_uid != 0 && st.st_uid != geteuid())
		return ipmu_fail(why, -EACCES, "%s: belongs to user %u instead of root: remove "
				 "it", path, (unsigned)st.st_uid);
	return 0;
}

/* For everybody, as /tmp is; a directory of one's own choice for oneself. */
static int make_directory(const char *path, bool named)
{
	if (mkdir(path, named ? 0700 : 01777))
		return errno == EEXIST ? 0 : -errno;
	return named || chmod(path, 01777) == 0 ? 0 : -errno;
}

bool ipmu_state_none(void)
{
	const char *named = secure_getenv("IPMU_STATE_DIR");

	return named && strcmp(named, "none") == 0;
}

int ipmu_state_open(bool make, char path[PATH_MAX], char *why)
{
	const char *named = secure_getenv("IPMU_STATE_DIR");
	int dir, rc;

	if (named && strlen(named) >= PATH_MAX)
		return ipmu_fail(why, -ENAMETOOLONG, "IPMU_STATE_DIR is too long");
	snprintf(path, PATH_MAX, "%s", named && *named ? named : IPMU_STATE_DIR);
	rc = make ? make_directory(path, named && *named) : 0;
	dir = rc ? rc : open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return refuse_directory(path, rc ? -rc : errno, why);
	rc = check_directory(dir, path, named && *named, why);
	if (rc) {
		close(dir);
		return rc;
	}
	return dir;
}

/* ---- a file in it */

#define OPEN_FLAGS (O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Whoever may make files in the directory may share ours. Without O_CREAT first: the kernel
 * refuses that for other people's files in a directory like /tmp. */
static int open_or_make(int dir, const char *name)
{
	struct stat st;
	int fd = -1;

	for (int i = 0; i < ATTEMPTS && fd < 0; i++) {
		fd = openat(dir, name, OPEN_FLAGS);
		if (fd >= 0 || errno != ENOENT)
			break;
		fd = openat(dir, name, OPEN_FLAGS | O_CREAT | O_EXCL, 0600);
		if (fd < 0 && errno == EEXIST)
			continue;
		if (fd >= 0 && !fstat(dir, &st))
			fchmod(fd, st.st_mode & 0666);
		break;
	}
	return fd < 0 ? -errno : fd;
}

int ipmu_state_file(int dir, const char *dir_path, const char *name, char *why)
{
	int fd = open_or_make(dir, name), rc;
	struct stat st;

	if (fd == -EACCES || fd == -EPERM || fd == -EROFS)
		return ipmu_fail(why, fd, "%s/%s: %s: counting there is for others: join the group "
				 "that may write it, or have it removed while nobody counts",
				 dir_path, name, strerror(-fd));
	if (fd == -ELOOP)
		return ipmu_fail(why, -EBADMSG, "%s/%s is a link: remove it", dir_path, name);
	if (fd < 0)
		return ipmu_fail(why, fd, "%s/%s: %s", dir_path, name, strerror(-fd));
	rc = fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) && st.st_nlink == 1 ? 0 : -EBADMSG;
	if (!rc)
		return fd;
	close(fd);
	return ipmu_fail(why, rc, "%s/%s is not a plain file with one name: remove it", dir_path,
			 name);
}

void ipmu_state_boot(char boot_id[40])
{
	int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, boot_id, 39);

	if (fd >= 0)
		close(fd);
	boot_id[n > 0 ? n : 0] = '\0';
	boot_id[strcspn(boot_id, "\n")] = '\0';
}
