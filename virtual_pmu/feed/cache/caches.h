/* SPDX-License-Identifier: MIT */
/* The caches of one machine, shared by every process that runs on it.
 *
 * Stated model: private L1I, L1D and L2 per core (L2 neither inclusive nor exclusive of the L1s),
 * an inclusive LLC in slices per package; LRU, write-back, write-allocate, MESI. Write-backs do not
 * change the LRU order of the level that takes them when it already has the line. No prefetcher but
 * the program's own instructions.
 * The cores of a cluster share an L2, and act as one core to all agents outside: see cluster.h.
 * A cluster that is not behind the LLC has its lines from memory, or from a cache that has them.
 * The LLC keeps their places, as a directory, and stores the data when another agent requests them.
 * Packages do not snoop each other: a machine of several packages has independent LLCs.
 *
 * A line is named by its tag: address space << 48 | address of its first byte. A word of a cache is
 * tag | state. A thread that misses an L1 holds the machine lock, and one thread executes at a
 * time: no other thread changes a cache meanwhile. */
#ifndef VPMU_FEED_CACHES_H
#define VPMU_FEED_CACHES_H

#include "../../model/bulk.h"
#include "../../machine/geometry.h"
#include "../translate/sites.h"
#include "l1.h"

#define VPMU_SPACE_SHIFT 48
#define VPMU_STREAMS 16u
#define VPMU_L1_USUAL_WAYS 8u
#define VPMU_CODE_LINES 256u
/* About as many accesses as a clock has, or more: where an instruction takes one; else. */
#define VPMU_USES_PER_CLOCK 4u
#define VPMU_USES_PER_CLOCK_MANY 8u

enum vpmu_touch { VPMU_LOAD, VPMU_STORE, VPMU_CODE };

/* A line's latency, and latency / fill_buffers: whole clocks, and the rest in as many parts. */
struct vpmu_pace { uint32_t latency, clocks, part; };

/* A core's fill buffers: the clock at which its last line arrives, the part of a clock that the
 * next one's lacks, and the buffer in use longest. Under the machine lock. */
struct vpmu_core_fills { uint64_t last; uint32_t part, next; };

/* Head of an agent's block in the segment. */
struct vpmu_core {
	struct vpmu_core_fills fills[VPMU_CLUSTER_MAX];
	uint8_t pad[VPMU_CORE_HEADER_BYTES - VPMU_CLUSTER_MAX * sizeof(struct vpmu_core_fills)];
};

struct vpmu_caches {
	struct vpmu_segment *s;
	unsigned char *base;
	struct vpmu_layout layout;
	/* Physical addresses: bytes of memory of each package, and bytes of all below 4 GiB. */
	uint64_t node_bytes, low_bytes;
	bool estimates;			/* the clock estimates time: clock.h */
	/* The package for a page that a thread of this package touches first; NULL: its own. */
	uint32_t (*place)(uint64_t address, uint32_t package);
};

/* A cache of one core as the fast paths see it. */
struct vpmu_fast {
	unsigned char *sets;	/* NULL: level absent */
	struct vpmu_level level;
};

/* A set of the LLC; NULL: not known. */
struct vpmu_ahead { unsigned char *set; uint32_t slice; };

/* The last line of some pages that left the core, and the set that the line behind it is in. With
 * a power of two of bytes it is found faster. */
struct vpmu_miss_stream { uint64_t missed; struct vpmu_ahead next; uint64_t unused; };

/* How a thread has synchronised with others: see contention.h. */
#define VPMU_WAITS 4u
struct vpmu_contention {
	struct vpmu_wait { uint64_t uses, number; } wait[VPMU_WAITS];	/* its last ones */
	uint32_t waits;
	uint64_t seen;		/* waits up to this number came before what it does */
	uint64_t paused;	/* its clock at its last PAUSE; 0: none */
	uint64_t locked;	/* number of the use that its last locked instruction makes */
	bool sleeps;		/* it waits in a system call */
};

/* See retired.h: the clock of the last report, and of the next one; the runner's instructions at
 * the last, and repetitions since then; the last repeated string instruction, and how many
 * instructions had been executed then. */
struct vpmu_retired { uint64_t due, reported, reported_instructions, repeats, repeated, executed; };

struct vpmu_timed_block;

/* The oldest load that has missed and may stop the thread: its clock and instruction, and the clock
 * at which its line arrives; 0: there is none. */
struct vpmu_rob { uint64_t arrival, clock, instructions; };
/* Entries of reorder buffers, as instructions. An old one that waits for a line stops the thread
 * when its buffer is full. Sources: MicroOpBufferSize in LLVM's X86SchedSkylakeClient.td and
 * X86SchedAlderlakeP.td; WikiChip, "Sunny Cove": 352, up from 224. */
#define VPMU_WINDOW 224u
#define VPMU_WINDOW_SUNNY_COVE 352u
#define VPMU_WINDOW_GOLDEN_COVE 512u

/* An emulated thread as the caches and the clock see it. */
struct vpmu_runner {
	struct vpmu_segment *s;
	uint64_t space;			/* address space id << VPMU_SPACE_SHIFT */
	uint64_t clock, published, awake;	/* awake: its clock after its last wait */
	/* Work of its last blocks that is not in `clock` and `instructions` yet (timed_blocks.h,
	 * clock.h), and how much it may be before the next block checks whether to publish. The
	 * last block: */
	uint64_t work, work_limit, instructions;
	struct vpmu_timed_block *before;	/* NULL: none, or no estimate of time */
	uint64_t path;			/* a number for those since the last round of a loop */
	struct vpmu_predictor *predictor;	/* NULL: its clock does not estimate time */
	/* The last block, if its branch to itself teaches the predictor nothing any more. */
	const struct vpmu_timed_block *settled;
	uint64_t numbered;		/* its clock when its uses were last numbered: clock.h */
	const uint32_t *cpu_slot;	/* its virtual CPU: any system call may change it */
	uint64_t *clock_slot;
	const uint64_t *newest;		/* clock of its package */
	uint32_t cpu;
	uint32_t core;			/* its agent, in its package: itself or its cluster */
	uint64_t me;			/* the agent's bit */
	uint32_t member;		/* which of its cluster's */
	uint32_t package;
	uint32_t tid;
	bool holds;			/* the machine lock: machine_lock.h */
	struct vpmu_core *own;
	unsigned char *llc;		/* its package's */
	uint64_t slice_bytes;		/* of it */
	uint32_t slice_shift, slice_last, set_last;	/* where these are powers of two */
	struct vpmu_bulk bulk;		/* its package's; for plain_access.c */
	struct vpmu_fast l1d, l1i, l2;
	uint64_t *fills;		/* arrivals of the lines in its core's fill buffers */
	struct vpmu_core_fills *fills_of_core;
	struct vpmu_pace llc_pace, memory_pace;
	uint32_t fill_buffers, write_clocks;	/* the machine's */
	bool plain, usual;		/* see plain_access.h; not where core events are counted */
	uint64_t uses;			/* the number of its last use of an L1: l1.h */
	uint64_t misses;		/* of an L1 */
	uint32_t uses_per_clock, spin_clocks;	/* the machine's: see above, and pause_loop.h */
	/* The block that it entered last, if all its lines were found where they were before. NULL:
	 * they were not, or the block is not known. */
	const struct vpmu_timed_block *inside;
	struct vpmu_contention contention;
	/* State of a clock that estimates time: see clock.h. The clock at which the last missed
	 * line arrives, those of the lines that instructions missed last, and the next one at which
	 * the L2 gives a line. */
	bool estimates;
	uint64_t served, arrival[VPMU_SITES], second;
	uint64_t requested;		/* the clock at which that line was requested */
	/* Loads that have missed the L1, L2 and LLC are under way until then; where core events
	 * are counted. */
	uint64_t pending[3];
	uint32_t later;			/* by which the last load's translation delays it */
	struct vpmu_tlb *dtlb;
	struct vpmu_rob window;
	uint32_t window_size;		/* the machine's reorder buffer, in instructions */
	struct vpmu_way *filled;	/* where its last access left the line in the L1D */
	/* Ways in which instructions' last accesses, and the last fetches, found their lines. The
	 * way's word shows whether the line is still there. Never NULL. */
	struct vpmu_way *site[VPMU_SITES], *code[VPMU_CODE_LINES];
	struct vpmu_miss_stream stream[VPMU_STREAMS];
	uint32_t *counts;		/* core events since the last report; NULL: not all count */
	uint32_t level;			/* enum vpmu_core_level: what is counted */
	uint64_t charged;		/* clocks up to here are in the profile */
	struct vpmu_retired retired;
};

/* 0, or -EINVAL: the segment's machine and caches region do not fit each other. */
int vpmu_caches_open(struct vpmu_caches *c, struct vpmu_segment *s);
struct vpmu_core *vpmu_caches_core(const struct vpmu_caches *c, uint32_t package, uint32_t core);
uint64_t *vpmu_caches_fills(const struct vpmu_caches *c, uint32_t package, uint32_t core);
/* Points a runner at virtual CPU `cpu`. */
void vpmu_caches_place(const struct vpmu_caches *c, struct vpmu_runner *r, uint32_t cpu);

/* Chooses the paths that its accesses may take; again after `counts` has changed. */
void vpmu_caches_choose(const struct vpmu_caches *c, struct vpmu_runner *r);

/* Any access, by the runner's own host thread. Advances the runner's clock by what it waits for.
 * Takes the machine lock if it misses an L1. */
void vpmu_caches_access(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag,
			enum vpmu_touch kind);
/* Fetches a line as a load does, to the L1D and the L2 or to the L2 alone. */
void vpmu_caches_prefetch(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag,
			  bool to_l1);
/* Takes the line out of every cache of the runner's package, machine lock held, without writing it
 * back. True: there was data newer than memory. */
bool vpmu_caches_remove(const struct vpmu_caches *c, struct vpmu_runner *r, uint64_t tag);
/* Slice of the runner's package that holds the line. */
uint32_t vpmu_caches_slice(const struct vpmu_caches *c, uint64_t tag, uint32_t *set);

static inline uint64_t vpmu_level_index(const struct vpmu_level *level, uint64_t line)
{
	return __builtin_expect(level->mask != 0, 1) ? line & level->mask : line % level->sets;
}

static inline uint64_t vpmu_runner_tag(const struct vpmu_runner *r, uint64_t address)
{
	return r->space | (address & 0xffffffffffc0ull);
}

static inline struct vpmu_l1 vpmu_fast_set(const struct vpmu_fast *f, uint64_t tag)
{
	unsigned char *at = f->sets + vpmu_level_index(&f->level, tag >> 6) * f->level.set_bytes;

	return (struct vpmu_l1){ (uint64_t *)(void *)at,
				 (struct vpmu_way *)(void *)(at + VPMU_SET_HEAD_BYTES),
				 f->level.ways };
}

/* The way in which the L1 has the line; or NULL. The machine must have this L1. */
static inline struct vpmu_way *vpmu_fast_find(const struct vpmu_fast *f, uint64_t tag)
{
	struct vpmu_l1 set = vpmu_fast_set(f, tag);
	int way = l1_search(&set, tag);

	return way < 0 ? NULL : &set.ways[way];
}

/* The same for one of the usual number of ways, and a power of two of sets. */
static inline struct vpmu_way *vpmu_fast_find_usual(const struct vpmu_fast *f, uint64_t tag)
{
	const struct vpmu_fast usual = { f->sets, {
		.mask = f->level.mask, .ways = VPMU_L1_USUAL_WAYS,
		.set_bytes = vpmu_l1_set_bytes(VPMU_L1_USUAL_WAYS) } };

	if (!usual.level.mask)
		__builtin_unreachable();
	return vpmu_fast_find(&usual, tag);
}

static inline struct vpmu_miss_stream *vpmu_stream_of(struct vpmu_runner *r, uint64_t tag)
{
	return &r->stream[(tag >> 12 ^ tag >> 22) % VPMU_STREAMS];
}

/* The entry in which the runner remembers the way of this line of code. */
static inline struct vpmu_way **vpmu_runner_code(struct vpmu_runner *r, uint64_t tag)
{
	return &r->code[(tag >> 6) % VPMU_CODE_LINES];
}

#endif
