/* SPDX-License-Identifier: MIT */
/* Listing /dev/cpu and /dev/cpu/N: what the machine has, not what the host has. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

/* The listing behind a DIR pointer that the shim's opendir has returned. */
struct listing {
	struct listing *next;
	bool root;			/* /dev/cpu itself */
	uint32_t at;
	struct dirent entry;
	struct dirent64 entry64;
};

static struct listing *listings;
static pthread_mutex_t listings_lock = PTHREAD_MUTEX_INITIALIZER;

NEXT_SLOT(opendir)
NEXT_SLOT(closedir)
NEXT_SLOT(rewinddir)

static bool is_root(const char *path)
{
	return strcmp(path, "/dev/cpu") == 0 || strcmp(path, "/dev/cpu/") == 0;
}

static bool entry_name(bool root, uint32_t at, char *name, size_t bytes)
{
	static const char *const devices[] = { "msr", "msr_safe" };
	const struct vpmu_segment *s = shim_machine();
	uint32_t cpus = vpmu_machine_cpus(&s->machine), safe = s->devices.msr_safe ? 1 : 0;

	if (at >= (root ? cpus : 1) + safe)
		return false;
	if (root && at < cpus)
		snprintf(name, bytes, "%u", at);
	else
		snprintf(name, bytes, "%s", root ? "msr_batch" : devices[at]);
	return true;
}

static unsigned char entry_type(bool root, const char *name)
{
	return root && name[0] != 'm' ? DT_DIR : DT_CHR;
}

/* The shim's listing behind this pointer, or NULL; `unlinked` takes it out of the list. */
static struct listing *find(const DIR *directory, bool unlinked)
{
	const void *key = directory;
	struct listing **link, *found = NULL;

	if (!__atomic_load_n(&listings, __ATOMIC_RELAXED))
		return NULL;
	pthread_mutex_lock(&listings_lock);
	for (link = &listings; *link && *link != key; link = &(*link)->next)
		;
	found = *link;
	if (found && unlinked)
		*link = found->next;
	pthread_mutex_unlock(&listings_lock);
	return found;
}

static DIR *open_listing(struct vpmu_open_file served, const char *path)
{
	struct listing *l;

	if (served.file != VPMU_DESCRIPTION) {
		errno = served.file == VPMU_HIDDEN || served.file == VPMU_NO_CPU ? ENOENT : ENOTDIR;
		return NULL;
	}
	l = calloc(1, sizeof(*l));
	if (!l)
		return NULL;
	l->root = is_root(path);
	pthread_mutex_lock(&listings_lock);
	l->next = listings;
	listings = l;
	pthread_mutex_unlock(&listings_lock);
	return (DIR *)(void *)l;
}

SHIM_EXPORT DIR *opendir(const char *path)
{
	struct vpmu_open_file served = shim_classify(path);

	SHIM_WHERE(AT_FDCWD, path);
	return served.file ? open_listing(served, path) : NEXT(opendir)(path);
}

SHIM_EXPORT int closedir(DIR *directory)
{
	struct listing *l = find(directory, true);

	if (!l)
		return NEXT(closedir)(directory);
	free(l);
	return 0;
}

SHIM_EXPORT void rewinddir(DIR *directory)
{
	struct listing *l = find(directory, false);

	if (l)
		l->at = 0;
	else
		NEXT(rewinddir)(directory);
}

#define READDIR(name, type, member) \
	NEXT_SLOT(name) \
	SHIM_EXPORT struct type *name(DIR *directory) \
	{ \
		struct listing *l = find(directory, false); \
		if (!l) \
			return NEXT(name)(directory); \
		if (!entry_name(l->root, l->at, l->member.d_name, sizeof(l->member.d_name))) \
			return NULL; \
		l->member.d_ino = ++l->at; \
		l->member.d_type = entry_type(l->root, l->member.d_name); \
		l->member.d_reclen = sizeof(l->member); \
		return &l->member; \
	}
READDIR(readdir, dirent, entry)
READDIR(readdir64, dirent64, entry64)

/* libc's scandir does not call the opendir above. */
#define SCANDIR(name, type) \
	static int list_##name(const char *path, struct type ***out, \
			       int (*choose)(const struct type *), \
			       int (*order)(const struct type **, const struct type **)) \
	{ \
		uint32_t cpus = vpmu_machine_cpus(&shim_machine()->machine), count = 0; \
		struct type **list = calloc(cpus + 2, sizeof(*list)), *e; \
		int (*compare)(const void *, const void *); \
		for (uint32_t at = 0; list; at++) { \
			e = calloc(1, sizeof(*e)); \
			if (!e || !entry_name(is_root(path), at, e->d_name, sizeof(e->d_name))) { \
				free(e); \
				break; \
			} \
			e->d_ino = at + 1; \
			e->d_type = entry_type(is_root(path), e->d_name); \
			if (!choose || choose(e)) \
				list[count++] = e; \
			else \
				free(e); \
		} \
		memcpy(&compare, &order, sizeof(compare)); \
		if (order && count) \
			qsort(list, count, sizeof(*list), compare); \
		*out = list; \
		return list ? (int)count : -1; \
	} \
	NEXT_SLOT(name) \
	SHIM_EXPORT int name(const char *path, struct type ***out, \
			     int (*choose)(const struct type *), \
			     int (*order)(const struct type **, const struct type **)) \
	{ \
		struct vpmu_open_file served = shim_classify(path); \
		SHIM_WHERE(AT_FDCWD, path); \
		return served.file == VPMU_DESCRIPTION ? list_##name(path, out, choose, order) : \
						       NEXT(name)(path, out, choose, order); \
	}
SCANDIR(scandir, dirent)
SCANDIR(scandir64, dirent64)
