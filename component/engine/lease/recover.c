/* SPDX-License-Identifier: MIT */
#include "state.h"
#include "../counting/system.h"

#include "../base/why.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* They may have died between any two steps, so what the registers hold is looked up. Where none was
 * under way, what differs from the journal has been written by somebody else since. A restore that
 * is cut short itself is done again by the next one. */
int ipmu_owner_recover(struct ipmu_unit *unit, char *why)
{
	struct ipmu_regs *p = &unit->regs;
	int saved = p->nsaved, rc;

	if (!unit->owner.header.changing)
		ipmu_access_leave_changed(p);
	unit->owner.changed = true;
	rc = ipmu_access_refresh(p);
	if (!rc)
		rc = ipmu_owner_restore(unit);
	if (!rc)
		return 0;
	p->nsaved = saved;
	return ipmu_fail(why, rc, "%s: what a process has left behind that was killed cannot be "
			 "put back through %s: %s; to do without it, remove the file",
			 unit->owner.path, p->msr_path, strerror(-rc));
}

bool ipmu_owner_has_saved(int dir, const char *name)
{
	struct ipmu_journal_header h;
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool has = fd >= 0 && pread(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) && h.nsaved;

	if (fd >= 0)
		close(fd);
	return has;
}

/* Opening them is what puts their registers back. */
void ipmu_owner_recover_others(struct ipmu_system *sys)
{
	char path[PATH_MAX];
	int dir = ipmu_state_none() ? -ENOENT : ipmu_state_open(false, path, NULL);
	DIR *list = dir < 0 ? NULL : fdopendir(dir);
	struct dirent *entry;

	while (list && (entry = readdir(list)) != NULL) {
		int place = ipmu_state_place(sys->family, entry->d_name);
		struct ipmu_unit *unit = place < 0 ? NULL : ipmu_unit_find(sys, place);

		if (unit && unit->place == place && !unit->open &&
		    ipmu_owner_has_saved(dir, entry->d_name))
			ipmu_unit_open(sys, unit, NULL);
	}
	if (list)
		closedir(list);
	else if (dir >= 0)
		close(dir);
}

static uint64_t pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : (uint64_t)st.st_ino;
}

struct ipmu_journal_process ipmu_process_self(void)
{
	return (struct ipmu_journal_process){ .pid = (uint32_t)getpid(),
					      .pid_namespace = pid_namespace() };
}

/* Its command may have any name, and is printed. */
void ipmu_process_name(const struct ipmu_journal_process *process, char text[64])
{
	unsigned pid = process->pid;
	char path[64], name[32];
	ssize_t n;
	int fd;

	if (process->pid_namespace != pid_namespace()) {
		snprintf(text, 64, "%u of another pid namespace", pid);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, name, sizeof(name) - 1);
	if (fd >= 0)
		close(fd);
	name[n > 0 ? n : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
	for (char *c = name; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	snprintf(text, 64, *name ? "%u (%s)" : "%u", pid, name);
}
