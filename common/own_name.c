/* SPDX-License-Identifier: MIT */
#include "own_name.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct own_name_row own_names[OWN_NAMES] = {
	[OWN_SEGMENT] = { "", "VPMUPM01", false },	/* VPMU_MAGIC */
	[OWN_TOPOLOGY] = { ".xml", "name=\"Backend\" value=\"VirtualPMU\"", false },
	[OWN_STATE] = { ".state", "state of a machine of vpmu\n", true },
	[OWN_SYSTEM] = { ".system", "description of a machine of vpmu\n", true },
	[OWN_JOB] = { ".job", "job of ipmu-run ", false },
	[OWN_JSON] = { ".json", "\"ipmu_version\":", false },
	[OWN_CSV] = { ".csv", "kind,group,name,part,value,deviation,unit,formula", false },
	[OWN_CALLGRIND] = { ".callgrind", "\ncreator: ipmu-run ", false },
	[OWN_HTML] = { ".html", "<title>ipmu-run: ", false },
};

static bool head_has(int fd, const char *mark)
{
	char head[OWN_NAME_HEAD];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	return n > 0 && memmem(head, (size_t)n, mark, strlen(mark));
}

bool own_name_marked(int fd, enum own_name kind)
{
	bool marked;
	int file;

	if (!own_names[kind].folder)
		return head_has(fd, own_names[kind].mark);
	file = openat(fd, OWN_NAME_MARK, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	marked = file >= 0 && head_has(file, own_names[kind].mark);
	if (file >= 0)
		close(file);
	return marked;
}

int own_name_mark(int folder, enum own_name kind)
{
	size_t bytes = strlen(own_names[kind].mark);
	int fd = openat(folder, OWN_NAME_MARK, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	ssize_t n = fd < 0 ? -1 : write(fd, own_names[kind].mark, bytes);
	int rc = n == (ssize_t)bytes ? 0 : n < 0 ? -errno : -ENOSPC;

	if (fd >= 0)
		close(fd);
	return rc;
}

const char *own_name_wrong(const char *path, enum own_name kind, uid_t owner)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	const char *wrong = NULL;
	struct stat st;

	/* Do not check again by lstat(): another process of the same run may make it meanwhile. */
	if (fd < 0 && errno == ENOENT)
		return NULL;
	if (fd < 0 ? lstat(path, &st) : fstat(fd, &st))
		return errno == ENOENT ? NULL : strerror(errno);
	if (own_names[kind].folder ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode))
		wrong = own_names[kind].folder ? "it is no directory" : "it is no regular file";
	else if (st.st_uid != geteuid() && st.st_uid != owner)
		wrong = "it belongs to another user";
	else if (st.st_mode & (S_IWGRP | S_IWOTH) && own_names[kind].folder)
		wrong = "others may write it";
	else if (fd < 0 ? st.st_uid == geteuid() : !own_name_marked(fd, kind))
		wrong = "no run has made it";
	if (fd >= 0)
		close(fd);
	return wrong;
}
