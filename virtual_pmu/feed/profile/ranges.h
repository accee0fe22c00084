/* SPDX-License-Identifier: MIT */
/* Ranges of addresses, none of which overlap, each with a number: the object that lies there. A
 * treap by their first addresses, so that adding, removing and finding take a time that grows with
 * the logarithm of their number. The caller holds the lock that protects them. */
#ifndef VPMU_FEED_RANGES_H
#define VPMU_FEED_RANGES_H

#include <stdbool.h>
#include <stdint.h>

struct vpmu_range { uint64_t start, end; uint32_t object; };

struct vpmu_range_node;
struct vpmu_ranges {
	struct vpmu_range_node *nodes;	/* number 0 is none */
	uint32_t root, used, room, unused;
	uint32_t random;
	uint32_t version;		/* changes with the ranges */
};

/* Adds [start, end) and removes what of other ranges lies in it. A range without a byte is not
 * added. False: no memory, and nothing of [start, end) is in a range. */
bool vpmu_ranges_add(struct vpmu_ranges *r, uint64_t start, uint64_t end, uint32_t object);
/* Removes all that lies in [start, end). A range that lies across one of these keeps the rest. */
void vpmu_ranges_remove(struct vpmu_ranges *r, uint64_t start, uint64_t end);
/* Finds the range of an address; false: there is none. */
bool vpmu_ranges_find(const struct vpmu_ranges *r, uint64_t address, struct vpmu_range *found);
/* Removes the range that starts at this address; false: none does. */
bool vpmu_ranges_take(struct vpmu_ranges *r, uint64_t start, struct vpmu_range *taken);
void vpmu_ranges_free(struct vpmu_ranges *r);

#endif
