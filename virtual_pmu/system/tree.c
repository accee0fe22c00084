/* SPDX-License-Identifier: MIT */
/* Finds the machine's file that a path means. vpmu_tree_plain() compares text and makes no system
 * call; vpmu_tree_look() follows links and dots as the kernel does. vpmu_tree_outside() returns the
 * path that programs use for a file in the machine's folder. All of them obey the table `places`.
 * No lock is taken. A path that is not the machine's is the host's. */
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/machine_device.h"
#include "system.h"

#define LINKS_MAX 40		/* as the kernel has it */

/* The first of those with the same folder is the path that programs see. */
static const struct shown_place { const char *outside, *folder; } places[] = {
	{ "/proc/cpuinfo", "/cpuinfo" },
	{ "/proc/meminfo", "/meminfo" },
	{ "/proc/stat", "/stat" },
	{ "/proc/loadavg", "/loadavg" },
	{ "/sys/devices/system/cpu", "/cpu" },
	{ "/sys/devices/system/node", "/node" },
	{ "/sys/bus/cpu/devices", "/cpu" },
	{ "/sys/bus/node/devices", "/node" },
	{ "/dev/cpu", "/dev/cpu" },
	{ "/dev/mem", "/dev/mem" },
	{ MACHINE_DEVICE, "/dev/vpmu" },
	{ "/sys/bus/pci/devices/0000:00:00.0/config", "/dev/config" },
	{ "/sys/devices/pci0000:00/0000:00:00.0/config", "/dev/config" },
	{ "/proc/bus/pci/00/00.0", "/dev/config" },
};
#define PLACES (sizeof(places) / sizeof(places[0]))

static const char *const hidden[] = {
	"/sys/bus/event_source", "/sys/devices/cpu", "/proc/sys/kernel/perf_event_paranoid",
	"/proc/sys/kernel/perf_event_max_sample_rate", "/proc/sys/kernel/perf_event_mlock_kb",
	"/sys/fs/cgroup", "/proc/cgroups",
};

/* Returns the rest of `path` behind `prefix`, of whole names; NULL: it is not below it. */
static const char *below(const char *path, const char *prefix)
{
	size_t length = strlen(prefix);

	if (strncmp(path, prefix, length) || (path[length] && path[length] != '/'))
		return NULL;
	return path + length;
}

/* Returns the rest of the path behind the machine's folder; NULL: it is not there. */
static const char *inside(const char *path)
{
	size_t length = strlen(vpmu_system.path);

	return strncmp(path, vpmu_system.path, length) ? NULL :
	       below(path + length, VPMU_SYSTEM_SUFFIX);
}

/* ---- the machine's files ---- */

/* Behind /dev/cpu: "/N/msr" and the like. */
static enum vpmu_file device_of(const char *rest, uint32_t *cpu)
{
	static const struct { const char *name; enum vpmu_file file; } devices[] = {
		{ "/msr", VPMU_FILE_MSR }, { "/msr_safe", VPMU_FILE_SAFE },
		{ "/cpuid", VPMU_FILE_CPUID },
	};
	uint32_t cpus = vpmu_machine_cpus(&vpmu_system.segment->machine);
	bool safe = vpmu_system.segment->devices.msr_safe;
	char *end;

	if (!strcmp(rest, "/msr_batch"))
		return safe ? VPMU_FILE_BATCH : VPMU_HIDDEN;
	if (rest[0] != '/' || rest[1] < '0' || rest[1] > '9')
		return VPMU_DESCRIPTION;
	unsigned long n = strtoul(rest + 1, &end, 10);
	*cpu = (uint32_t)n;
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		if (!strcmp(end, devices[i].name))
			return devices[i].file == VPMU_FILE_SAFE && !safe ? VPMU_HIDDEN :
			       n < cpus ? devices[i].file : VPMU_NO_CPU;
	return VPMU_DESCRIPTION;
}

/* folder: below the machine's. */
static enum vpmu_file file_of(const char *folder, uint32_t *cpu)
{
	const char *rest = below(folder, "/dev/cpu");

	*cpu = 0;
	if (rest)
		return device_of(rest, cpu);
	return !strcmp(folder, "/dev/mem") ? VPMU_FILE_MEM :
	       !strcmp(folder, "/dev/vpmu") ? VPMU_FILE_OUTSIDE :
	       !strcmp(folder, "/dev/config") ? VPMU_FILE_CONFIG : VPMU_DESCRIPTION;
}

/* The kernel of the machine has no control groups: their quotas, CPUs and use of memory are the
 * host's, and programs choose their number of threads by them. */
static bool names_cgroup(const char *path)
{
	const char *name = below(path, "/proc") ? strrchr(path, '/') : NULL;

	return name && (!strcmp(name, "/cgroup") || !strcmp(name, "/cpuset"));
}

static bool path_is_hidden(const char *path)
{
	if (names_cgroup(path))
		return true;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (below(path, hidden[i]))
			return true;
	return false;
}

static bool put_inside(struct vpmu_found *found, const char *folder, const char *rest)
{
	const char *path = vpmu_system.path;
	size_t length = strlen(path) + strlen(VPMU_SYSTEM_SUFFIX);

	if (snprintf(found->path, sizeof(found->path), "%s" VPMU_SYSTEM_SUFFIX "%s%s", path,
		     folder, rest) >= (int)sizeof(found->path))
		return false;
	found->file = file_of(found->path + length, &found->cpu);
	return true;
}

bool vpmu_tree_device(enum vpmu_file file, uint32_t cpu, struct vpmu_found *found)
{
	char rest[64];

	switch (file) {
	case VPMU_FILE_MEM:
		return put_inside(found, "/dev/mem", "");
	case VPMU_FILE_BATCH:
		return put_inside(found, "/dev/cpu/msr_batch", "");
	default:
		snprintf(rest, sizeof(rest), "/%u/%s", cpu, file == VPMU_FILE_CPUID ? "cpuid" :
			 file == VPMU_FILE_SAFE ? "msr_safe" : "msr");
		return put_inside(found, "/dev/cpu", rest);
	}
}

void vpmu_tree_of(const char *path, struct vpmu_found *found)
{
	const char *rest = inside(path);

	found->cpu = 0;
	found->moved = false;
	found->file = VPMU_HOSTS;
	if (rest && put_inside(found, "", rest))
		return;
	for (size_t i = 0; i < PLACES; i++) {
		rest = below(path, places[i].outside);
		if (rest && put_inside(found, places[i].folder, rest))
			return;
	}
	snprintf(found->path, sizeof(found->path), "%s", *path ? path : "/");
	if (path_is_hidden(path))
		found->file = VPMU_HIDDEN;
}

bool vpmu_tree_outside(char *text, size_t *length, size_t room)
{
	char path[PATH_MAX], whole[PATH_MAX];
	const char *folder, *rest;
	int n;

	if (*length >= sizeof(path) || *text != '/')
		return false;
	memcpy(path, text, *length);
	path[*length] = '\0';
	folder = inside(path);
	for (size_t i = 0; folder && i < PLACES; i++) {
		rest = below(folder, places[i].folder);
		if (!rest)
			continue;
		n = snprintf(whole, sizeof(whole), "%s%s", places[i].outside, rest);
		*length = (size_t)n < room ? (size_t)n : room;
		memcpy(text, whole, *length);
		return true;
	}
	return false;
}

/* ---- paths as programs spell them ---- */

static bool is_plain(const char *path)
{
	for (const char *c = path; *c; c++)
		if (*c == '/' && (c[1] == '/' || c[1] == '.' || !c[1]))
			return false;
	return *path == '/';
}

bool vpmu_tree_plain(const char *path, struct vpmu_found *found)
{
	if (strncmp(path, "/dev/", 5) && strncmp(path, "/proc/", 6) && strncmp(path, "/sys/", 5))
		return false;
	if (!is_plain(path))
		return false;
	vpmu_tree_of(path, found);
	return found->file != VPMU_HOSTS;
}

/* A path while it is followed: what is done, without links and dots, and what is left. */
struct walk { char done[PATH_MAX], left[PATH_MAX]; int links; bool moved; };

static bool walk_begin(struct walk *w, int dir, const char *path)
{
	char link[64] = "/proc/self/cwd";
	ssize_t n = 0;

	w->links = 0;
	w->moved = false;
	if (*path != '/') {
		if (dir != AT_FDCWD)
			snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
		n = readlink(link, w->done, sizeof(w->done) - 1);
		if (n <= 0 || *w->done != '/')
			return false;
	}
	w->done[n] = '\0';
	if (n == 1)
		w->done[0] = '\0';
	if (inside(w->done)) {		/* dots lead out of /sys, not of the machine's folder */
		size_t length = (size_t)n;

		if (vpmu_tree_outside(w->done, &length, sizeof(w->done) - 1))
			w->done[length] = '\0';
		w->moved = true;
	}
	return snprintf(w->left, sizeof(w->left), "%s", path) < (int)sizeof(w->left);
}

static void go_up(struct walk *w)
{
	char *slash = strrchr(w->done, '/');

	if (slash)
		*slash = '\0';
}

/* Puts a link's text in front of what is left. */
static bool follow_link(struct walk *w, const char *text)
{
	char left[PATH_MAX];

	if (++w->links > LINKS_MAX ||
	    snprintf(left, sizeof(left), "%s/%s", text, w->left) >= (int)sizeof(left))
		return false;
	strcpy(w->left, left);
	if (*text == '/')
		w->done[0] = '\0';
	else
		go_up(w);
	return true;
}

static bool is_mapped(const char *path)
{
	for (size_t i = 0; i < PLACES; i++)
		if (below(path, places[i].outside))
			return true;
	return path_is_hidden(path);
}

/* The next name of what is left. */
static bool walk_step(struct walk *w, bool follow)
{
	char *name = w->left + strspn(w->left, "/"), text[PATH_MAX];
	size_t length = strcspn(name, "/"), done = strlen(w->done);
	bool last = !name[length + strspn(name + length, "/")];
	ssize_t n;

	if (length == 2 && name[0] == '.' && name[1] == '.') {
		go_up(w);
	} else if (length && !(length == 1 && *name == '.')) {
		if (done + length + 2 > sizeof(w->done))
			return false;
		w->done[done] = '/';
		memcpy(w->done + done + 1, name, length);
		w->done[done + 1 + length] = '\0';
	}
	memmove(w->left, name + length, strlen(name + length) + 1);
	if (strlen(w->done) <= done || is_mapped(w->done) || (last && !follow))
		return true;
	n = readlink(w->done, text, sizeof(text) - 1);
	if (n < 0)		/* no link; or not there, as /dev/cpu on many hosts */
		return true;
	text[n] = '\0';
	return follow_link(w, text);
}

bool vpmu_tree_look(int dir, const char *path, bool follow, struct vpmu_found *found)
{
	int saved = errno;
	struct walk w;
	bool there = *path && walk_begin(&w, dir, path);

	while (there && w.left[strspn(w.left, "/")])
		there = walk_step(&w, follow);
	errno = saved;
	if (there) {
		vpmu_tree_of(w.done, found);
		found->moved = w.moved;
	}
	return there;
}
