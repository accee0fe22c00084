/* SPDX-License-Identifier: MIT */
/* Stated branch predictor of one hardware thread:
 * - conditional branches: 4,096 two-bit counters, indexed by the branch's address xor the thread's
 *   last 12 conditional outcomes; they start at "weakly not taken";
 * - indirect jumps and calls: 512 last targets, indexed by the low bits of the branch's address;
 * - returns: a stack of 16, which forgets the oldest;
 * - direct jumps and calls are always foreseen. */
#ifndef VPMU_FEED_PREDICTOR_H
#define VPMU_FEED_PREDICTOR_H

#include "../translate/instructions.h"

#define VPMU_PREDICTOR_COUNTERS 4096u
#define VPMU_PREDICTOR_TARGETS 512u
#define VPMU_PREDICTOR_RETURNS 16u

struct vpmu_predictor {
	uint8_t counters[VPMU_PREDICTOR_COUNTERS];	/* minus 1, so that zeroes are the start */
	struct { uint64_t branch, target; } targets[VPMU_PREDICTOR_TARGETS];
	uint64_t returns[VPMU_PREDICTOR_RETURNS];
	uint32_t history, depth;	/* depth: of the return stack, modulo its size */
};

struct vpmu_branched {
	enum vpmu_branch kind;
	uint64_t address, next, target;	/* next: behind it; target: where it went */
};

/* The same as below, of a conditional branch. settled: this outcome again would change nothing. */
static inline bool vpmu_predict_condition(struct vpmu_predictor *p, uint64_t address, bool taken,
					  bool *settled)
{
	/* The stored value is the counter minus its start, 1, modulo 4. */
	static const uint8_t next[2][4] = { { 3, 0, 1, 3 }, { 1, 2, 2, 0 } };
	uint32_t history = p->history;
	uint8_t *stored = &p->counters[(address ^ history) % VPMU_PREDICTOR_COUNTERS];
	uint8_t before = *stored;

	p->history = (history << 1 | taken) % VPMU_PREDICTOR_COUNTERS;
	*stored = next[taken][before];
	*settled = *stored == before && p->history == history;
	return ((before + 1) >> 1 & 1) == taken;
}

/* Returns whether the branch was predicted, and updates the predictor. */
bool vpmu_predict(struct vpmu_predictor *p, const struct vpmu_branched *b);

#endif
