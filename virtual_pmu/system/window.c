/* SPDX-License-Identifier: MIT */
/* The memory controller's window, which programs map from /dev/mem. Such a mapping has no rights,
 * so that each access faults. The emulator then executes that one instruction while the program's
 * other threads are stopped, and the mapping holds a copy of the registers: loads find their values
 * there, and each store becomes a write of registers afterwards.
 *
 * vpmu_system_window_enter() begins such an instruction and vpmu_system_window_leave() ends it. In
 * between the thread holds the lock below, which also guards the list of mappings. A thread that
 * waits for that lock does not hold the machine lock. */
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#define WINDOWS_MAX 64
#define PAGE 4096u
#define LONGEST_ACCESS 64u	/* but for those that save a state: see `all` */

/* rights: those that the program requested. shared: the registers may be written. */
struct mapped_window { uint64_t at, bytes, offset; int rights; bool shared; };

static struct mapped_window windows[WINDOWS_MAX];
static uint32_t window_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The mapping that the calling thread is about to make; bytes 0: none. */
static _Thread_local struct mapped_window making;

static bool any_window(void)
{
	return __atomic_load_n(&window_count, __ATOMIC_RELAXED) != 0;
}

/* ---- the list ---- */

static bool windows_add(struct mapped_window w)
{
	if (window_count == WINDOWS_MAX)
		return false;
	windows[window_count] = w;
	__atomic_store_n(&window_count, window_count + 1, __ATOMIC_RELAXED);
	return true;
}

/* The part of a window between two of its addresses. */
static struct mapped_window part_of(const struct mapped_window *w, uint64_t from, uint64_t to)
{
	struct mapped_window part = *w;

	part.at = from;
	part.bytes = to - from;
	part.offset += from - w->at;
	return part;
}

/* Takes these addresses out of the list; what is left of a mapping stays in it. */
static void windows_forget(uint64_t at, uint64_t bytes)
{
	uint64_t end = at + (bytes + PAGE - 1) / PAGE * PAGE;

	for (uint32_t i = window_count; i-- > 0;) {
		struct mapped_window w = windows[i];
		uint64_t w_end = w.at + w.bytes;

		if (w_end <= at || w.at >= end)
			continue;
		windows[i] = windows[window_count - 1];
		__atomic_store_n(&window_count, window_count - 1, __ATOMIC_RELAXED);
		if (w.at < at)
			windows_add(part_of(&w, w.at, at));
		if (w_end > end)
			windows_add(part_of(&w, end, w_end));
	}
}

static struct mapped_window *window_at(uint64_t address)
{
	for (uint32_t i = 0; i < window_count; i++)
		if (address - windows[i].at < windows[i].bytes)
			return &windows[i];
	return NULL;
}

static bool overlaps(uint64_t at, uint64_t bytes)
{
	for (uint32_t i = 0; i < window_count; i++)
		if (windows[i].at < at + bytes && at < windows[i].at + windows[i].bytes)
			return true;
	return false;
}

/* ---- mapping it ---- */

/* The processor has no right to write alone. */
static int rights_of(int64_t asked)
{
	return asked & PROT_WRITE ? PROT_READ | PROT_WRITE : (int)asked;
}

static int may_map(const int64_t a[6], bool *shared)
{
	int mode = fcntl((int)a[4], F_GETFL) & O_ACCMODE;

	if (a[2] & ~(PROT_READ | PROT_WRITE))
		return -EPERM;
	if (!a[1] || a[5] % PAGE)
		return -EINVAL;
	*shared = (a[3] & MAP_TYPE) != MAP_PRIVATE && mode == O_RDWR &&
		  vpmu_mmio_writable(vpmu_system.segment);
	if (mode == O_WRONLY)
		return -EACCES;
	if (!(a[2] & PROT_WRITE) || *shared)
		return 0;
	return !vpmu_mmio_writable(vpmu_system.segment) || (a[3] & MAP_TYPE) == MAP_PRIVATE ?
	       -EPERM : -EACCES;
}

int vpmu_system_may_map(const int64_t a[6], uint64_t *in_window, uint64_t *length, bool *shared)
{
	uint64_t base, bytes, offset = (uint64_t)a[5];
	int rc = may_map(a, shared);

	vpmu_mmio_window(vpmu_system.segment, &base, &bytes);
	*length = ((uint64_t)a[1] + PAGE - 1) / PAGE * PAGE;
	*in_window = offset - base;
	if (!rc && (offset < base || *length > bytes || offset - base > bytes - *length))
		rc = -EPERM;
	return rc;
}

bool vpmu_system_map(int64_t a[6], int64_t *answer)
{
	struct mapped_window w = { .rights = rights_of(a[2]) };
	int rc = vpmu_system_may_map(a, &w.offset, &w.bytes, &w.shared);

	if (!rc && __atomic_load_n(&window_count, __ATOMIC_RELAXED) == WINDOWS_MAX)
		rc = -ENOMEM;
	*answer = rc;
	if (rc)
		return false;
	making = w;
	a[2] = PROT_NONE;
	a[3] = (a[3] & ~MAP_TYPE) | MAP_PRIVATE | MAP_ANONYMOUS;
	a[4] = -1;
	a[5] = 0;
	return true;
}

void vpmu_system_mapped(const int64_t a[6], int64_t answer)
{
	struct mapped_window w = making;

	making.bytes = 0;
	if (answer <= 0 || (!w.bytes && !any_window()))
		return;
	w.at = (uint64_t)answer;
	pthread_mutex_lock(&lock);
	windows_forget(w.at, (uint64_t)a[1]);
	if (w.bytes)
		windows_add(w);
	pthread_mutex_unlock(&lock);
}

void vpmu_system_unmap(uint64_t at, uint64_t bytes)
{
	if (!any_window() || at % PAGE)		/* which munmap refuses */
		return;
	pthread_mutex_lock(&lock);
	windows_forget(at, bytes);
	pthread_mutex_unlock(&lock);
}

static int change_rights(uint64_t at, uint64_t bytes, int rights)
{
	struct mapped_window *w = window_at(at);

	bytes = (bytes + PAGE - 1) / PAGE * PAGE;
	if (!w || at != w->at || bytes != w->bytes)
		return -EINVAL;
	if ((rights & ~(PROT_READ | PROT_WRITE)) || ((rights & PROT_WRITE) && !w->shared))
		return -EACCES;
	w->rights = rights_of(rights);
	return 0;
}

bool vpmu_system_protect(uint64_t at, uint64_t bytes, int rights, int64_t *answer)
{
	bool ours;

	if (!any_window())
		return false;
	pthread_mutex_lock(&lock);
	ours = overlaps(at, bytes);
	if (ours)
		*answer = change_rights(at, bytes, rights);
	pthread_mutex_unlock(&lock);
	return ours;
}

bool vpmu_system_in_window(uint64_t at, uint64_t bytes)
{
	bool is;

	if (!any_window())
		return false;
	pthread_mutex_lock(&lock);
	is = overlaps(at, bytes);
	pthread_mutex_unlock(&lock);
	return is;
}

/* ---- an instruction ---- */

/* Addresses that the instruction may access; in a window they hold the registers. */
static struct { uint64_t from, to; } opened;

bool vpmu_system_window_enter(uint64_t address, bool store, bool all)
{
	struct vpmu_segment *s = vpmu_system.segment;
	const struct mapped_window *w;

	pthread_mutex_lock(&lock);
	w = window_at(address);
	if (!w || !(w->rights & (store ? PROT_WRITE : PROT_READ))) {
		pthread_mutex_unlock(&lock);
		return false;
	}
	opened.from = all ? 0 : address / PAGE * PAGE;
	opened.to = all ? UINT64_MAX : (address + LONGEST_ACCESS - 1) / PAGE * PAGE + PAGE;
	vpmu_lock(s);
	vpmu_mmio_advance(s, vpmu_system_cpu());
	vpmu_unlock(s);
	return true;
}

void vpmu_system_window_lock(void)
{
	pthread_mutex_lock(&lock);
	opened.from = opened.to = 0;
}

/* The part of a window that is opened; bytes 0: none. */
static struct mapped_window opened_of(const struct mapped_window *w)
{
	uint64_t from = w->at > opened.from ? w->at : opened.from;
	uint64_t to = w->at + w->bytes < opened.to ? w->at + w->bytes : opened.to;

	return part_of(w, from, to > from ? to : from);
}

static void copy_registers(const struct mapped_window *w)
{
	const uint8_t *from = vpmu_package_mmio(vpmu_system.segment, 0) + w->offset;
	void *to = vpmu_system.memory->memory(w->at, w->bytes, true);

	if (to)
		memcpy(to, from, w->bytes);
}

void vpmu_system_window_open(bool opens)
{
	const struct vpmu_program_memory *m = vpmu_system.memory;

	for (uint32_t i = 0; i < window_count; i++) {
		const struct mapped_window w = opened_of(&windows[i]);

		if (!w.bytes)
			continue;
		if (opens && m->protect(w.at, w.bytes, PROT_READ | PROT_WRITE))
			copy_registers(&w);
		if (!opens || w.rights != (PROT_READ | PROT_WRITE))
			m->protect(w.at, w.bytes, opens ? w.rights : PROT_NONE);
	}
}

bool vpmu_system_window_offset(uint64_t address, uint32_t *offset)
{
	const struct mapped_window *w = window_at(address);

	if (w)
		*offset = (uint32_t)(w->offset + (address - w->at));
	return w;
}

void vpmu_system_window_write(uint32_t offset, const uint8_t *bytes, uint32_t count)
{
	struct vpmu_segment *s = vpmu_system.segment;

	vpmu_lock(s);
	while (count) {
		uint32_t n = count < 8 ? count : 8;
		uint64_t value = 0;

		memcpy(&value, bytes, n);
		vpmu_mmio_write(s, vpmu_system_cpu(), offset, value, n);
		offset += n;
		bytes += n;
		count -= n;
	}
	vpmu_unlock(s);
}

void vpmu_system_window_leave(void)
{
	pthread_mutex_unlock(&lock);
}

/* Another thread of the parent may have had the lock. */
void vpmu_system_window_forked(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
