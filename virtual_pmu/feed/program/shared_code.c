/* SPDX-License-Identifier: MIT */
/* Code that a program writes through one mapping of a file and executes through another one. JITs
 * do so to have no memory with both rights. QEMU sees a store to translated code by the page's
 * rights, and only through the mapping that is executed.
 *
 * While a page of a shared mapping is translated, vpmu_shared_code_translate() takes the right to
 * write the same page of the file from all other mappings. A store there faults:
 * vpmu_shared_code_fault() gives the right back and drops all translations of the file's page.
 * The store is then executed alone (window_access.c), because its own code may be in that page; it
 * is no store of the core events. vpmu_shared_code_call() keeps the list of shared mappings of
 * files. Calls of the kernel that write to such a page (read(2) into it) fail with EFAULT. A store
 * of another process is not seen.
 *
 * The lock guards the lists. QEMU translates with its own lock of mappings held, which
 * host->protect() takes. So outside of a translation protect() is called without the lock. */
#include "shared_code.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "../../emulator/user_calls.h"

#define PAGE UINT64_C(4096)
#define RIGHTS (PROT_READ | PROT_WRITE | PROT_EXEC)

struct shared_mapping {
	uint64_t start, end, offset;
	uint64_t device, file;
	int rights;			/* those that the program has requested */
};

/* Pages that are not written because their code is translated elsewhere. */
struct guarded_pages { uint64_t *page; uint32_t count, room; };

static const struct vpmu_user_host *host;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct shared_mapping *mappings;
static uint32_t mapping_count, mapping_room;
static struct guarded_pages guarded;

static void lock_take(void)
{
	pthread_mutex_lock(&lock);
}

static void lock_release(void)
{
	pthread_mutex_unlock(&lock);
}

static void lock_renew(void)
{
	pthread_mutex_init(&lock, NULL);
}

void vpmu_shared_code_begin(const struct vpmu_user_host *with)
{
	host = with;
	pthread_atfork(lock_take, lock_release, lock_renew);
}

/* ---- the list of mappings ---- */

static uint64_t page_up(uint64_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Without memory the mapping is not followed. */
static void mappings_add(struct shared_mapping m)
{
	struct shared_mapping *more;

	if (m.start >= m.end)
		return;
	if (mapping_count == mapping_room) {
		more = realloc(mappings, (mapping_room + 64) * sizeof(*more));
		if (!more)
			return;
		mappings = more;
		mapping_room += 64;
	}
	mappings[mapping_count] = m;
	__atomic_store_n(&mapping_count, mapping_count + 1, __ATOMIC_RELAXED);
}

static struct shared_mapping mapping_part(struct shared_mapping m, uint64_t start, uint64_t end)
{
	m.offset += start - m.start;
	m.start = start;
	m.end = end;
	return m;
}

static struct shared_mapping mapping_between(struct shared_mapping m, uint64_t start, uint64_t end)
{
	return mapping_part(m, start > m.start ? start : m.start, end < m.end ? end : m.end);
}

/* Removes this range. What is left of a mapping stays. */
static void mappings_remove(uint64_t start, uint64_t end)
{
	for (uint32_t i = mapping_count; i-- > 0;) {
		struct shared_mapping m = mappings[i];

		if (m.end <= start || m.start >= end)
			continue;
		mappings[i] = mappings[mapping_count - 1];
		__atomic_store_n(&mapping_count, mapping_count - 1, __ATOMIC_RELAXED);
		if (m.start < start)
			mappings_add(mapping_part(m, m.start, start));
		if (m.end > end)
			mappings_add(mapping_part(m, end, m.end));
	}
}

static const struct shared_mapping *mapping_at(uint64_t address)
{
	for (uint32_t i = 0; i < mapping_count; i++)
		if (address >= mappings[i].start && address < mappings[i].end)
			return &mappings[i];
	return NULL;
}

/* Parts of other mappings that show the same bytes of the file as `m`, and have one of these
 * rights. The caller frees them. */
static uint32_t find_others(const struct shared_mapping *m, int rights, struct shared_mapping **out)
{
	uint64_t first = m->offset, end = first + (m->end - m->start);
	uint32_t count = 0;

	*out = malloc((mapping_count + 1) * sizeof(**out));
	for (uint32_t i = 0; *out && i < mapping_count; i++) {
		const struct shared_mapping *o = &mappings[i];
		uint64_t o_end = o->offset + (o->end - o->start);
		uint64_t from = first > o->offset ? first : o->offset;
		uint64_t to = end < o_end ? end : o_end;

		if (o->device == m->device && o->file == m->file && o->rights & rights &&
		    from < to && o->start + (from - o->offset) != m->start + (from - first))
			(*out)[count++] = mapping_part(*o, o->start + (from - o->offset),
						       o->start + (to - o->offset));
	}
	return count;
}

/* ---- pages that are not written ---- */

static bool guarded_add(uint64_t page)
{
	uint64_t *more;

	for (uint32_t i = 0; i < guarded.count; i++)
		if (guarded.page[i] == page)
			return false;
	if (guarded.count == guarded.room) {
		more = realloc(guarded.page, (guarded.room + 256) * sizeof(*more));
		if (!more)
			return false;
		guarded.page = more;
		guarded.room += 256;
	}
	guarded.page[guarded.count++] = page;
	return true;
}

static bool guarded_remove(uint64_t start, uint64_t end)
{
	uint32_t before = guarded.count;

	for (uint32_t i = guarded.count; i-- > 0;)
		if (guarded.page[i] >= start && guarded.page[i] < end)
			guarded.page[i] = guarded.page[--guarded.count];
	return guarded.count < before;
}

/* ---- translations ---- */

/* QEMU drops translations of pages that get the right to be written. Those whose file cannot be
 * written make it drop all. */
static void translations_drop(const struct shared_mapping *m)
{
	if (!host->protect(m->start, m->end - m->start, m->rights | PROT_WRITE) ||
	    !host->protect(m->start, m->end - m->start, m->rights))
		host->forget();
}

static void translations_drop_all(struct shared_mapping *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		translations_drop(&list[i]);
	free(list);
}

static void page_guard(const struct shared_mapping *m)
{
	for (uint64_t page = m->start; page < m->end; page += PAGE)
		if (guarded_add(page))
			host->protect(page, PAGE, m->rights & ~PROT_WRITE);
}

static void page_translate(uint64_t page)
{
	const struct shared_mapping *m = mapping_at(page);
	struct shared_mapping here, *list;
	uint32_t count;

	if (!m)
		return;
	here = mapping_part(*m, page, page + PAGE);
	count = find_others(&here, PROT_WRITE, &list);
	for (uint32_t i = 0; i < count; i++)
		page_guard(&list[i]);
	free(list);
}

void vpmu_shared_code_translate(uint64_t first, uint64_t last)
{
	if (!__atomic_load_n(&mapping_count, __ATOMIC_RELAXED))
		return;
	lock_take();
	for (uint64_t page = first / PAGE * PAGE; page <= last; page += PAGE)
		page_translate(page);
	lock_release();
}

bool vpmu_shared_code_fault(uint64_t address)
{
	uint64_t page = address / PAGE * PAGE;
	struct shared_mapping here = { .start = 0 }, *list = NULL;
	const struct shared_mapping *m;
	uint32_t count = 0;

	if (!__atomic_load_n(&mapping_count, __ATOMIC_RELAXED))
		return false;
	lock_take();
	m = guarded_remove(page, page + PAGE) ? mapping_at(page) : NULL;
	if (m) {
		here = mapping_part(*m, page, page + PAGE);
		count = find_others(&here, PROT_EXEC, &list);
	}
	lock_release();
	translations_drop_all(list, count);
	return m && host->protect(page, PAGE, here.rights);
}

/* ---- system calls ---- */

/* The mapping has the right to be written: code that others of this file show is translated anew,
 * and then guards it. */
static void mapping_begins(const struct shared_mapping *m)
{
	struct shared_mapping *list = NULL;
	uint32_t count = 0;

	lock_take();
	if (m->rights & PROT_WRITE)
		count = find_others(m, PROT_EXEC, &list);
	lock_release();
	translations_drop_all(list, count);
}

static void remove_range(uint64_t start, uint64_t bytes)
{
	if (!__atomic_load_n(&mapping_count, __ATOMIC_RELAXED))
		return;
	lock_take();
	mappings_remove(start, start + page_up(bytes));
	guarded_remove(start, start + page_up(bytes));
	lock_release();
}

static void mapping_add_file(const int64_t a[6], uint64_t start)
{
	struct shared_mapping m = {
		.start = start, .end = start + page_up((uint64_t)a[1]), .offset = (uint64_t)a[5],
		.rights = (int)a[2] & RIGHTS,
	};
	struct stat st;

	if ((a[3] & MAP_TYPE) == MAP_PRIVATE || a[3] & MAP_ANONYMOUS || fstat((int)a[4], &st))
		return;
	m.device = st.st_dev;
	m.file = st.st_ino;
	lock_take();
	mappings_add(m);
	lock_release();
	mapping_begins(&m);
}

/* Pages that were guarded get the rights that the program has requested. */
static void change_rights(uint64_t start, uint64_t end, int rights)
{
	struct shared_mapping *list = NULL;
	uint32_t count = 0;

	if (!__atomic_load_n(&mapping_count, __ATOMIC_RELAXED))
		return;
	lock_take();
	guarded_remove(start, end);
	list = malloc((mapping_count + 1) * sizeof(*list));
	for (uint32_t i = 0; list && i < mapping_count; i++)
		if (mappings[i].start < end && mappings[i].end > start) {
			list[count] = mapping_between(mappings[i], start, end);
			list[count++].rights = rights;
		}
	mappings_remove(start, end);
	for (uint32_t i = 0; i < count; i++)
		mappings_add(list[i]);
	lock_release();
	for (uint32_t i = 0; i < count; i++)
		mapping_begins(&list[i]);
	free(list);
}

/* A moved mapping keeps its rights and its file. */
static void mapping_move(uint64_t from, uint64_t bytes, uint64_t to, uint64_t new_bytes)
{
	struct shared_mapping m = { .start = 0 };
	const struct shared_mapping *old;

	if (!__atomic_load_n(&mapping_count, __ATOMIC_RELAXED))
		return;
	lock_take();
	old = mapping_at(from);
	if (old)
		m = *old;
	lock_release();
	m.offset += from - m.start;
	m.start = to;
	m.end = to + page_up(new_bytes);
	remove_range(from, bytes);
	remove_range(to, new_bytes);
	if (!old)
		return;
	lock_take();
	mappings_add(m);
	lock_release();
	/* Guarded pages have kept their rights. */
	host->protect(m.start, m.end - m.start, m.rights);
	mapping_begins(&m);
}

void vpmu_shared_code_call(int64_t number, const int64_t a[6], int64_t answer)
{
	if (answer < 0 && answer > -4096)
		return;
	switch (number) {
	case SYS_mmap:
		remove_range((uint64_t)answer, (uint64_t)a[1]);
		mapping_add_file(a, (uint64_t)answer);
		break;
	case SYS_munmap:
		remove_range((uint64_t)a[0], (uint64_t)a[1]);
		break;
	case SYS_mprotect: case SYS_pkey_mprotect:
		change_rights((uint64_t)a[0], (uint64_t)a[0] + page_up((uint64_t)a[1]),
			      (int)a[2] & RIGHTS);
		break;
	case SYS_mremap:
		mapping_move((uint64_t)a[0], (uint64_t)a[1], (uint64_t)answer, (uint64_t)a[2]);
		break;
	default:
		break;
	}
}
