/* SPDX-License-Identifier: MIT */
/* The state directory and its files: ipmu_state_open() and ipmu_state_file() open or make them,
 * ipmu_state_name() and ipmu_state_place() convert file names. No lock is needed: the kernel
 * decides which process makes a directory or file, and the others open it. Only users who may write
 * the registers may write here, because the files make processes write registers. A directory or
 * file that fails this check is refused. */
#include "state.h"

#include "../base/why.h"
#include "descriptor.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* True for the default directory. Advice to make or remove a directory is for that one only: one
 * that the user has named may be /tmp. */
static bool is_our_own(const char *path)
{
	return strcmp(path, IPMU_STATE_DIR) == 0;
}

static int refuse_directory(const char *path, int error, char *why)
{
	static const char make[] = "let root make it ('install -d -m 755 " IPMU_STATE_DIR "'; for "
		"the group that may open the devices 'install -d -m 2770 -g GROUP " IPMU_STATE_DIR
		"'), ";

	if (error != EACCES && error != EPERM && error != EROFS && error != ENOENT &&
	    error != ENOTDIR && error != ELOOP)
		return ipmu_fail(why, -error, "%s: %s%s", path, strerror(error),
				 ipmu_limit_advice(error));
	return ipmu_fail(why, -error, "%s: %s: this directory says which process uses which "
			 "counters; %sset IPMU_STATE_DIR to a directory that nobody else can "
			 "write, or, if nobody else counts, to 'none'", path, strerror(error),
			 is_our_own(path) ? make : "");
}

static const char *remedy(const char *path)
{
	return is_our_own(path) ? "end all programs that count and 'rm -r " IPMU_STATE_DIR "': "
				  "root's next program that counts makes it anew" :
				  "set IPMU_STATE_DIR to a directory that nobody else can write";
}

static bool path_group(const char *device, gid_t *gid)
{
	struct stat st;

	if (stat(device, &st) || !S_ISCHR(st.st_mode) || !(st.st_mode & S_IWGRP))
		return false;
	*gid = st.st_gid;
	return true;
}

/* Find the one group that may write the devices of all CPUs. A user who may write only some CPUs'
 * registers must not make other processes write the rest. */
static bool device_group(gid_t *gid)
{
	DIR *cpus = opendir("/dev/cpu");
	struct dirent *entry;
	bool found = false, alike = true;
	char path[64], safe[64];
	gid_t one = 0;

	while (cpus && alike && (entry = readdir(cpus)) != NULL) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(safe, sizeof(safe), "/dev/cpu/%.16s/msr_safe", entry->d_name);
		snprintf(path, sizeof(path), "/dev/cpu/%.16s/msr", entry->d_name);
		alike = (path_group(safe, &one) || path_group(path, &one)) &&
			(!found || one == *gid);
		*gid = one;
		found = true;
	}
	if (cpus)
		closedir(cpus);
	return found && alike;
}

/* Check that only users who may write the registers may write the directory: its files make
 * processes write registers. */
static int check_directory(int dir, const char *path, char *why)
{
	struct stat st;
	gid_t gid;

	if (fstat(dir, &st))
		return refuse_directory(path, errno, why);
	if (st.st_mode & S_IWOTH)
		return ipmu_fail(why, -EACCES, "%s: any user can have written the files in it: %s",
				 path, remedy(path));
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return ipmu_fail(why, -EACCES, "%s: user %u, to whom it belongs, can have written "
				 "the files in it: %s", path, (unsigned)st.st_uid, remedy(path));
	if ((st.st_mode & S_IWGRP) && !(device_group(&gid) && gid == st.st_gid))
		return ipmu_fail(why, -EACCES, "%s: group %u may write it, but not the devices of "
				 "all CPUs: %s", path, (unsigned)st.st_gid, remedy(path));
	return 0;
}

/* The directory appears with its group and mode, so that no process finds it half made. */
static int make_shared(const char *path)
{
	char *fresh;
	gid_t gid;
	bool group;
	int rc;

	if (asprintf(&fresh, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	if (!mkdtemp(fresh)) {
		rc = -errno;
		free(fresh);
		return rc;
	}
	group = device_group(&gid);
	rc = (group && chown(fresh, (uid_t)-1, gid)) || chmod(fresh, group ? 02770 : 0755) ||
	     renameat2(AT_FDCWD, fresh, AT_FDCWD, path, RENAME_NOREPLACE) ? -errno : 0;
	if (rc)
		rmdir(fresh);
	free(fresh);
	return rc == -EEXIST ? 0 : rc;
}

/* Make the directory if it is missing. One that the user names is private to that user; only root
 * makes the default one. */
static int make_directory(const char *path, bool named)
{
	struct stat st;

	if (!lstat(path, &st))
		return 0;
	if (!named)
		return geteuid() == 0 ? make_shared(path) : -EACCES;
	return mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
}

bool ipmu_state_none(void)
{
	const char *named = secure_getenv("IPMU_STATE_DIR");

	return named && strcmp(named, "none") == 0;
}

int ipmu_state_open(bool make, const char **out, char *why)
{
	const char *named = secure_getenv("IPMU_STATE_DIR");
	const char *path = named && *named ? named : IPMU_STATE_DIR;
	int dir, rc;

	if (strlen(path) >= PATH_MAX)
		return ipmu_fail(why, -ENAMETOOLONG, "IPMU_STATE_DIR is too long");
	*out = path;
	rc = make ? make_directory(path, named && *named) : 0;
	dir = rc ? rc : open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return refuse_directory(path, rc ? -rc : errno, why);
	rc = check_directory(dir, path, why);
	if (rc) {
		close(dir);
		return rc;
	}
	return dir;
}

/* ---- a file in it */

#define OPEN_FLAGS (O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Let only the directory's group open the file, if it may write there: a user who can open a file
 * can lock it. */
static void share_file(int dir, int fd)
{
	struct stat st;

	if (!fstat(dir, &st) && (st.st_mode & S_IWGRP) && !fchown(fd, (uid_t)-1, st.st_gid))
		fchmod(fd, 0660);
}

/* Try without O_CREAT first: the kernel may refuse that flag for other users' files. */
static int open_or_make(int dir, const char *name, bool make)
{
	int fd = -1;

	for (int i = 0; i < ATTEMPTS && fd < 0; i++) {
		fd = openat(dir, name, OPEN_FLAGS);
		if (fd >= 0 || errno != ENOENT || !make)
			break;
		fd = openat(dir, name, OPEN_FLAGS | O_CREAT | O_EXCL, 0600);
		if (fd < 0 && errno == EEXIST)
			continue;
		if (fd >= 0)
			share_file(dir, fd);
		break;
	}
	return fd < 0 ? -errno : fd;
}

#define OTHERS (S_IROTH | S_IWOTH)
#define GROUP (S_IRGRP | S_IWGRP)

static int state_file_check(int dir, int fd, const char *dir_path, const char *name, char *why)
{
	struct stat d, st;
	bool group;

	if (fstat(dir, &d) || fstat(fd, &st))
		return ipmu_fail(why, -errno, "%s/%s: %s", dir_path, name, strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
		return ipmu_fail(why, -EBADMSG, "%s/%s is not a plain file with one name: remove "
				 "it", dir_path, name);
	group = (d.st_mode & S_IWGRP) != 0;
	if (!group && st.st_uid != 0 && st.st_uid != geteuid())
		return ipmu_fail(why, -EACCES, "%s/%s: user %u, to whom it belongs, can have "
				 "written it: end all programs that count and remove it", dir_path,
				 name, (unsigned)st.st_uid);
	if ((st.st_mode & OTHERS) ||
	    ((st.st_mode & GROUP) && !(group && st.st_gid == d.st_gid)))
		return ipmu_fail(why, -EACCES, "%s/%s: others can have written it, or hold locks "
				 "on it: end all programs that count and remove it", dir_path,
				 name);
	return 0;
}

int ipmu_state_file(int dir, const char *dir_path, const char *name, bool make, char *why)
{
	int fd = descriptor_move_up(open_or_make(dir, name, make)), rc;

	if (fd == -EACCES || fd == -EPERM || fd == -EROFS)
		return ipmu_fail(why, fd, "%s/%s: %s: this user may not count there: join the "
				 "group that may write the file, or have it removed while nobody "
				 "counts",
				 dir_path, name, strerror(-fd));
	if (fd == -ELOOP)
		return ipmu_fail(why, -EBADMSG, "%s/%s is a link: remove it", dir_path, name);
	if (fd < 0)
		return ipmu_fail(why, fd == -ENOSPC ? -EIO : fd, "%s/%s: %s%s", dir_path, name,
				 strerror(-fd), ipmu_limit_advice(-fd));
	rc = state_file_check(dir, fd, dir_path, name, why);
	if (!rc)
		return fd;
	close(fd);
	return rc;
}

void ipmu_state_boot(char boot_id[40])
{
	int fd = open(IPMU_STATE_BOOT, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, boot_id, 39);

	if (fd >= 0)
		close(fd);
	boot_id[n > 0 ? n : 0] = '\0';
	boot_id[strcspn(boot_id, "\n")] = '\0';
}
