/* SPDX-License-Identifier: MIT */
/* The layout of a machine's caches in the segment's caches region. Pure arithmetic. */
#ifndef VPMU_GEOMETRY_H
#define VPMU_GEOMETRY_H

#include "machine.h"

#define VPMU_LINE_BYTES 64u
#define VPMU_FILLS_MAX 64u
#define VPMU_WAYS_MAX 16u	/* what a set's order word can hold; see make_level */
#define VPMU_HOME_PAGES (1u << 18)	/* pages whose home package is remembered */
#define VPMU_BANKS 32u			/* DRAM banks of a memory controller */

struct vpmu_level {
	uint32_t sets;		/* 0: level absent */
	uint32_t mask;		/* sets - 1 when sets is a power of two, else 0 */
	uint32_t ways;
	uint32_t set_bytes;	/* from one set to the next */
};

/* A set's head: its order word and a fingerprint per way (sets.h). */
#define VPMU_SET_HEAD_BYTES 32u
#define VPMU_L1_WAY_BYTES 16u		/* word and last use: l1.h */
#define VPMU_LLC_HEAD_BYTES 64u
#define VPMU_AGENTS_FEW 8u
#define VPMU_LLC_FEW_AT 24u	/* in the head: behind order and fingerprints */

static inline uint32_t vpmu_set_bytes(uint32_t ways)
{
	return VPMU_SET_HEAD_BYTES + ways * (uint32_t)sizeof(uint64_t);
}
static inline uint32_t vpmu_l1_set_bytes(uint32_t ways)
{
	return VPMU_SET_HEAD_BYTES + ways * VPMU_L1_WAY_BYTES;
}
/* Bytes of a set of the LLC. With few agents a way has one word, otherwise a bitmap as well. */
static inline uint32_t vpmu_llc_set_bytes(uint32_t ways, bool few)
{
	uint32_t bytes = VPMU_LLC_HEAD_BYTES + ways * (uint32_t)sizeof(uint64_t) * (few ? 1 : 2);

	return (bytes + VPMU_LINE_BYTES - 1) / VPMU_LINE_BYTES * VPMU_LINE_BYTES;
}

/* The region is one block per package: first its agents' blocks, then its LLC. An agent is a core,
 * or a cluster of E cores (vpmu_core_agent).
 * An agent's block: struct vpmu_core, the fill buffers of its cores, the L1I and L1D of each, their
 * L2. Each set of them is its head and a word per line, in an L1 two. The LLC is the sets of slice
 * 0, of slice 1, ...: a lookup misses in the host's caches, so that all it reads lies together. A
 * set is a line of the host with its head and, if the package has few agents, a byte per way that
 * says which of them may have the line; then the words; then, if there are more agents, a bitmap of
 * 64 bits per way.
 * Offsets are bytes. */
struct vpmu_agent_block {
	struct vpmu_level l1i, l1d, l2;
	uint32_t members;			/* cores */
	uint64_t l1i_at, l1d_at, l2_at;		/* of the first core */
	uint64_t member_bytes, bytes;		/* from one core's L1s to the next's; of all */
};

struct vpmu_layout {
	struct vpmu_agent_block core, cluster;
	struct vpmu_level llc;	/* of one slice */
	uint32_t agents, slices, fills;
	uint32_t clusters_from;	/* the first agent that is a cluster */
	uint32_t away_from;	/* the first that is not behind the LLC */
	uint32_t slice_shift;	/* log2 of slices, or 32 when that is no power of two */
	uint64_t fills_at;				/* in an agent's block */
	uint64_t llc_at, package_bytes;			/* in a package's block */
	uint64_t bytes;
	bool few;		/* agents, all behind the LLC: see above */
	bool directory;		/* the LLC holds no data, only which cores have a line */
	/* Behind the packages, where memory controllers are modelled: open pages of the banks, and
	 * homes of pages in a machine of several packages. */
	uint32_t boxes;		/* per package */
	uint64_t banks_at, homes_at;
};

#define VPMU_CORE_HEADER_BYTES 128u

/* 0, or -EINVAL for a machine whose caches the feed cannot build. */
int vpmu_layout_make(const struct vpmu_machine *m, struct vpmu_layout *out);
uint64_t vpmu_caches_bytes(const struct vpmu_machine *m);

#endif
