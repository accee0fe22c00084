/* SPDX-License-Identifier: MIT */
/* What Linux says about CPUs and memory in /proc and /sys is in files next to the segment. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim.h"

static const struct place { const char *host, *ours; } places[] = {
	{ "/proc/cpuinfo", "/cpuinfo" },
	{ "/sys/devices/system/cpu", "/cpu" },
	{ "/sys/devices/system/node", "/node" },
	{ "/sys/bus/cpu/devices", "/cpu" },
	{ "/sys/bus/node/devices", "/node" },
};
#define PLACES (sizeof(places) / sizeof(places[0]))

static const char *const hidden[] = {
	"/sys/bus/event_source", "/sys/devices/cpu", "/proc/sys/kernel/perf_event_paranoid",
	"/proc/sys/kernel/perf_event_max_sample_rate", "/proc/sys/kernel/perf_event_mlock_kb",
};

/* First names of relative paths that may lead there. */
static const char *const beginnings[] = {
	"bus", "cpu", "cpuinfo", "devices", "node", "proc", "sys", "system",
};

/* What follows `prefix` in `path`, of whole names; NULL: it is not below it. Slashes may be
 * repeated. */
static const char *below(const char *path, const char *prefix)
{
	while (*prefix) {
		if (*path++ != *prefix)
			return NULL;
		if (*prefix++ == '/')
			path += strspn(path, "/");
	}
	return *path && *path != '/' ? NULL : path;
}

bool shim_hidden(const char *path)
{
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (below(path, hidden[i]))
			return true;
	return false;
}

static const char *find(const char *path, const char **ours)
{
	for (size_t i = 0; i < PLACES; i++) {
		const char *rest = below(path, places[i].host);

		*ours = places[i].ours;
		if (rest)
			return rest;
	}
	return NULL;
}

static bool may_lead_there(const char *relative)
{
	size_t length = strcspn(relative, "/");

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (strlen(beginnings[i]) == length && !strncmp(relative, beginnings[i], length))
			return true;
	return false;
}

/* Has it empty names, "." or ".."? */
static bool winds(const char *path)
{
	const char *name = path + (*path == '/');

	while (*name) {
		size_t length = strcspn(name, "/");

		if (!length || (*name == '.' && (length == 1 || (length == 2 && name[1] == '.'))))
			return true;
		name += length;
		name += *name == '/';
	}
	return false;
}

const char *shim_where(int at, const char *path, struct shim_room *room)
{
	const char *given = path, *ours, *rest, *segment;
	char simple[SHIM_SIMPLE_BYTES];

	if (!path || ((*path == '/' ? strncmp(path, "/proc/", 6) && strncmp(path, "/sys/", 5) :
				      !may_lead_there(path)) && !winds(path)))
		return given;
	if (*path != '/' || !find(path, &ours)) {
		if (!shim_path_simple(at, path, simple, sizeof(simple)))
			return given;
		path = simple;
	}
	rest = find(path, &ours);
	segment = rest ? shim_segment_path() : NULL;
	if (!segment || snprintf(room->text, sizeof(room->text), "%s" VPMU_SYSTEM_SUFFIX "%s%s",
				 segment, ours, rest) >= (int)sizeof(room->text))
		return given;
	return room->text;
}

/* ---- functions of libc that take such paths and no device's ---- */

/* Not in any header: what _FORTIFY_SOURCE turns the calls into. */
char *__realpath_chk(const char *path, char *resolved, size_t room);
ssize_t __readlink_chk(const char *path, char *buf, size_t bytes, size_t room);
ssize_t __readlinkat_chk(int at, const char *path, char *buf, size_t bytes, size_t room);

#define ONE_PATH(type, name, parameters, ...) \
	NEXT_SLOT(name) \
	SHIM_EXPORT type name parameters \
	{ \
		SHIM_WHERE(AT_FDCWD, path); \
		return NEXT(name)(__VA_ARGS__); \
	}
ONE_PATH(char *, realpath, (const char *restrict path, char *restrict resolved), path, resolved)
ONE_PATH(char *, __realpath_chk, (const char *path, char *resolved, size_t bytes), path, resolved,
	 bytes)
ONE_PATH(char *, canonicalize_file_name, (const char *path), path)
ONE_PATH(ssize_t, readlink, (const char *restrict path, char *restrict buf, size_t bytes), path,
	 buf, bytes)
ONE_PATH(ssize_t, __readlink_chk, (const char *path, char *buf, size_t bytes, size_t all), path,
	 buf, bytes, all)
ONE_PATH(int, chdir, (const char *path), path)

#define AT_PATH(name, parameters, ...) \
	NEXT_SLOT(name) \
	SHIM_EXPORT ssize_t name parameters \
	{ \
		SHIM_WHERE(at, path); \
		return NEXT(name)(__VA_ARGS__); \
	}
AT_PATH(readlinkat, (int at, const char *restrict path, char *restrict buf, size_t bytes), at, path,
	buf, bytes)
AT_PATH(__readlinkat_chk, (int at, const char *path, char *buf, size_t bytes, size_t all), at, path,
	buf, bytes, all)
