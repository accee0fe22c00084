/* SPDX-License-Identifier: MIT */
/* Reports of the feed about a thread that is followed. Each thread has its own record, made when it
 * enters its first block. The thread that executes calls all of this, so there is no lock. Its
 * callbacks are in call_callbacks.c. */
#include "follower.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "code_places.h"
#include "mappings.h"
#include "objects.h"
#include "store.h"

bool vpmu_following;
__thread struct vpmu_follower *vpmu_follower __attribute__((tls_model("initial-exec")));

struct vpmu_follow_host vpmu_follow_host;

/* ---- arcs in the file ---- */

static struct vpmu_profile_arc *make_arc(uint32_t call, uint64_t target)
{
	struct vpmu_profile_arc *r = vpmu_profile_add(sizeof(*r), VPMU_LOST_ARCS);

	if (!r)
		return NULL;
	r->call = call;
	r->target = target;
	vpmu_profile_publish(VPMU_LIST_ARCS, r);
	return r;
}

static void add_event(struct vpmu_profile_arc *arc, uint32_t kind, uint64_t n)
{
	vpmu_cell_add(&arc->cells, kind, n);
}

static void lose_call(void)
{
	vpmu_profile_lose(VPMU_LOST_ARCS, 1);
}

struct vpmu_arcs vpmu_follow_arcs = {
	.make = make_arc, .add = add_event, .is_stub = vpmu_place_is_stub, .lost = lose_call,
};

/* ---- threads ---- */

struct vpmu_follower *vpmu_follower_begin(void)
{
	struct vpmu_follower *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	vpmu_calls_begin(&f->calls, &vpmu_follow_arcs);
	f->lines = vpmu_line_user_begin();
	if (!f->lines) {
		vpmu_calls_end(&f->calls);
		free(f);
		return NULL;
	}
	return vpmu_follower = f;
}

void vpmu_follow_resume(struct vpmu_follower *f)
{
	vpmu_profile.totals = &f->calls.total;
	vpmu_profile.last = f->lines->last;
}

void vpmu_follow_thread_end(void)
{
	struct vpmu_follower *f = vpmu_follower;

	if (!f)
		return;
	vpmu_calls_end(&f->calls);
	vpmu_line_user_end(f->lines);
	if (vpmu_profile.totals == &f->calls.total) {
		vpmu_profile.totals = NULL;
		vpmu_profile.last = NULL;
	}
	free(f);
	vpmu_follower = NULL;
}

void vpmu_follow_settle(void)
{
	if (vpmu_follower)
		vpmu_calls_settle(&vpmu_follower->calls);
}

/* Adds what occurs whenever the block is executed. */
static void on_fixed(const struct vpmu_profile_block *b)
{
	const struct vpmu_profile_fixed *fixed =
		(const void *)((const uint8_t *)b + vpmu_profile_fixed_at(b));

	for (uint32_t i = 0; i < b->fixed; i++)
		vpmu_calls_event(&vpmu_follower->calls,
				 vpmu_kind_core(vpmu_profile.little, fixed[i].event),
				 fixed[i].times);
}

void vpmu_follow_block_slow(const struct vpmu_note *note)
{
	struct vpmu_follower *f = vpmu_follower ? vpmu_follower : vpmu_follower_begin();

	if (!f)
		return;
	vpmu_follow_resume(f);
	if (f->calls.entered)
		vpmu_calls_enter(&f->calls, note->block->address);
}

/* ---- what the rest of the feed reports ---- */

/* The total of a kind that each block has, for which no row is kept; NULL: it is another kind. */
static uint64_t *total_of(struct vpmu_thread_totals *t, uint32_t kind)
{
	if (kind == vpmu_kind_core(vpmu_profile.little, VPMU_INSTRUCTIONS))
		return &t->instructions[vpmu_profile.little];
	if (kind == vpmu_kind_core(vpmu_profile.little, VPMU_CORE_EVENTS))
		return &t->clocks[vpmu_profile.little];
	return NULL;
}

/* Only an access has an address: see vpmu_follow_access(). */
static void on_charge(uint32_t kind, uint64_t times)
{
	struct vpmu_follower *f = vpmu_follower;
	uint64_t *total = f ? total_of(&f->calls.total, kind) : NULL;

	if (total)
		*total += times;
	else if (f)
		vpmu_calls_event(&f->calls, kind, times);
	if (vpmu_profile.at)
		vpmu_objects_charge(vpmu_profile.at >> 1, kind, times);
}

void vpmu_follow_snoop(const struct vpmu_snooped_line *s)
{
	struct vpmu_follower *f = vpmu_follower;

	if (!f)
		return;
	f->lines->package = s->package;
	f->lines->agent = s->agent;
	vpmu_contended_line(&(struct vpmu_line_request){
		.user = f->lines, .note = vpmu_profile.note, .line = s->line,
		.at = vpmu_profile.at, .package = s->package, .agent = s->other, .kind = s->kind,
	});
}

static void map_memory(const int64_t a[6], int64_t answer)
{
	struct vpmu_call_chain by = { .count = 0 };
	char name[PATH_MAX] = "", link[64];
	ssize_t bytes;

	if (vpmu_follower)
		by.count = vpmu_calls_chain(&vpmu_follower->calls, by.note, VPMU_CHAIN_MAX);
	if (!(a[3] & MAP_ANONYMOUS)) {
		snprintf(link, sizeof(link), "/proc/self/fd/%" PRId64, a[4]);
		bytes = readlink(link, name, sizeof(name) - 1);
		name[bytes < 0 ? 0 : bytes] = '\0';
	}
	vpmu_objects_map((uint64_t)answer, ((uint64_t)a[1] + 4095) & ~UINT64_C(4095), name, &by);
}

static void move_memory(const int64_t a[6], int64_t answer)
{
	struct vpmu_call_chain by = { .count = 0 };

	if (vpmu_follower)
		by.count = vpmu_calls_chain(&vpmu_follower->calls, by.note, VPMU_CHAIN_MAX);
	if (answer != a[0])
		vpmu_objects_unmap((uint64_t)a[0], (uint64_t)a[1]);
	vpmu_objects_map((uint64_t)answer, (uint64_t)a[2], "", &by);
}

void vpmu_follow_system_call(int64_t number, const int64_t a[6], int64_t answer)
{
	if (!vpmu_following || (answer < 0 && answer > -4096))
		return;
	switch (number) {
	case SYS_mmap:
		map_memory(a, answer);
		break;
	case SYS_munmap:
		vpmu_objects_unmap((uint64_t)a[0], (uint64_t)a[1]);
		break;
	case SYS_mremap:
		move_memory(a, answer);
		break;
	case SYS_brk:
		vpmu_objects_break((uint64_t)answer);
		break;
	default:
		break;
	}
}

/* ---- the process ---- */

static void read_places(const struct vpmu_profile_map *map)
{
	vpmu_places_read(map, true);
}

void vpmu_follow_begin(const struct vpmu_follow_host *with)
{
	vpmu_follow_host = *with;
	vpmu_mapping_found = read_places;
	vpmu_profile.fixed = on_fixed;
	vpmu_profile.charged = on_charge;
	vpmu_follow_arcs.paused = vpmu_profile.paused;
	vpmu_objects_begin();
	vpmu_following = true;
}

void vpmu_follow_forked(void)
{
	struct vpmu_follower *f = vpmu_follower;

	if (!vpmu_following)
		return;
	for (uint32_t ref = vpmu_profile_first(VPMU_LIST_ARCS); ref;) {
		struct vpmu_profile_arc *r = vpmu_profile_at(ref);

		r->cells = 0;
		r->calls = r->instructions[0] = r->instructions[1] = 0;
		r->clocks[0] = r->clocks[1] = 0;
		ref = r->next;
	}
	vpmu_objects_forked();
	vpmu_contended_lines_forked(f ? f->lines : NULL);
	if (f)
		vpmu_calls_forked(&f->calls);
}
