/* SPDX-License-Identifier: MIT */
/* Maps the profile's file and hands out room for records. The file is sparse, and mapped as a whole
 * when it is made: afterwards the process needs no descriptor that the program could see or close.
 * Room is taken in steps. Each step's pages are allocated in advance, so that on a full disk the
 * file reports a loss and the program continues. vpmu_profile_store_begin() and _forked() make the
 * file, vpmu_profile_add() is the way to a record. The thread that executes calls these, so there
 * is no lock. */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../model/kinds.h"

#define RESERVED (UINT64_C(1) << 30)	/* of addresses and of the file's length, not of memory */
#define STEP (UINT64_C(64) << 10)
#define FILES_MAX 100000u		/* images of one process */

/* The head as this process has it: in the file it may be the parent's for a moment. */
static struct vpmu_profile_head mine;
static char folder[PATH_MAX], path[PATH_MAX + 64];
static uint8_t *base;			/* NULL: none */
static uint64_t reserved, ready;	/* bytes of the mapping; pages below this are there */

static struct vpmu_profile_head *head(void)
{
	return (struct vpmu_profile_head *)(void *)base;
}

/* ---- the file ---- */

/* Images of a process have numbers from 0: after an exec the process is the same. */
static int create_file(void)
{
	int fd = -1;

	mine.pid = (uint32_t)getpid();
	for (mine.image = 0; fd < 0 && mine.image < FILES_MAX; mine.image++) {
		snprintf(path, sizeof(path), "%s/%u.%u" VPMU_PROFILE_SUFFIX, folder, mine.pid,
			 mine.image);
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return fd;
}

static uint64_t reservable(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur > RESERVED)
		return RESERVED;
	return limit.rlim_cur / STEP * STEP;
}

static uint8_t *map_reserved(int fd, uint8_t *at)
{
	void *to;

	if (ftruncate(fd, (off_t)reserved))
		return NULL;
	to = mmap(at, reserved, PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_NORESERVE | (at ? MAP_FIXED : 0), fd, 0);
	return to == MAP_FAILED ? NULL : to;
}

/* As much as there is address space for. */
static uint8_t *store_map_file(int fd)
{
	uint8_t *to = NULL;

	for (reserved = reservable(); reserved >= STEP; reserved /= 2) {
		to = map_reserved(fd, NULL);
		if (to)
			break;
	}
	return to;
}

/* An older kernel gives pages when they are used, or ends the process. */
static bool populate(uint8_t *at, uint64_t bytes)
{
	return !madvise(at, bytes, MADV_POPULATE_WRITE) || errno == EINVAL;
}

static bool grow(uint64_t to)
{
	while (ready < to) {
		if (ready + STEP > reserved || !populate(base + ready, STEP))
			return false;
		ready += STEP;
	}
	return true;
}

static void write_head(void)
{
	mine.magic = VPMU_PROFILE_MAGIC;
	mine.version = VPMU_PROFILE_VERSION;
	mine.kinds = VPMU_KINDS;
	memcpy(base, &mine, sizeof(mine));
}

bool vpmu_profile_store_begin(const struct vpmu_profile_origin *from)
{
	int fd;

	snprintf(folder, sizeof(folder), "%s", from->folder);
	fd = create_file();
	if (fd < 0)
		return false;
	base = store_map_file(fd);
	close(fd);
	if (!base || !grow(STEP)) {
		unlink(path);
		base = NULL;
		return false;
	}
	snprintf(mine.machine, sizeof(mine.machine), "%s", from->machine);
	mine.used = sizeof(mine);
	write_head();
	return true;
}

void vpmu_profile_store_program(const char *program)
{
	size_t bytes = strlen(program);
	char *text = base ? vpmu_profile_add(bytes + 1, VPMU_LOST_NOTES) : NULL;

	if (!text)
		return;
	memcpy(text, program, bytes);
	mine.program = head()->program = vpmu_profile_ref(text);
	mine.program_bytes = head()->program_bytes = (uint32_t)bytes;
}

/* ---- after a fork ---- */

/* The parent goes on and adds to its file. What it adds is behind `used`, as this process has it,
 * and no list of ours has that. */
static bool store_take_over(int fd)
{
	uint64_t bytes = (mine.used + STEP - 1) / STEP * STEP, most = reservable();
	uint8_t *copy;

	if (bytes > most || ftruncate(fd, (off_t)bytes))
		return false;
	copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (copy == MAP_FAILED)
		return false;
	if (populate(copy, bytes)) {
		memcpy(copy, base, mine.used);
		munmap(copy, bytes);
		if (reserved > most) {	/* the limit was lowered */
			munmap(base + most, reserved - most);
			reserved = most;
		}
		if (map_reserved(fd, base)) {
			ready = bytes;
			return true;
		}
	} else {
		munmap(copy, bytes);
	}
	return false;
}

/* Translations point to records, so these stay where they are. */
static void keep_records(void)
{
	uint64_t bytes = (mine.used + STEP - 1) / STEP * STEP;
	void *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		return;
	memcpy(copy, base, mine.used);
	mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, base);
	reserved = ready = bytes;
}

void vpmu_profile_store_forked(void)
{
	int fd;

	if (!base)
		return;
	fd = create_file();
	if (fd < 0 || !store_take_over(fd)) {
		if (fd >= 0)
			unlink(path);
		keep_records();
	}
	if (fd >= 0)
		close(fd);
	memset(mine.lost, 0, sizeof(mine.lost));
	write_head();
}

void vpmu_profile_store_end(void)
{
	if (base && mine.pid == (uint32_t)getpid() && truncate(path, (off_t)ready))
		return;		/* it is sparse */
}

/* ---- records ---- */

void vpmu_profile_lose(enum vpmu_profile_lost what, uint64_t times)
{
	if (base)
		head()->lost[what] = mine.lost[what] += times;
}

void *vpmu_profile_add(size_t bytes, enum vpmu_profile_lost what)
{
	uint64_t at = mine.used, end = at + (bytes + 7) / 8 * 8;

	if (!base || !grow(end)) {
		vpmu_profile_lose(what, 1);
		return NULL;
	}
	mine.used = end;
	head()->used = end;
	return base + at;
}

uint32_t vpmu_profile_ref(const void *record)
{
	return (uint32_t)((uint64_t)((const uint8_t *)record - base) / 8);
}

void *vpmu_profile_at(uint32_t ref)
{
	return ref ? base + (uint64_t)ref * 8 : NULL;
}

uint32_t vpmu_profile_first(enum vpmu_profile_list list)
{
	return mine.list[list];
}

void vpmu_profile_publish(enum vpmu_profile_list list, void *record)
{
	uint32_t ref = vpmu_profile_ref(record);

	memcpy(record, &mine.list[list], sizeof(uint32_t));
	mine.list[list] = ref;
	__atomic_store_n(&head()->list[list], ref, __ATOMIC_RELEASE);
}
