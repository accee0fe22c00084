/* SPDX-License-Identifier: MIT */
/* A group: successive accesses of a block by the same registers. In between, these registers change
 * only by constants that the code shows. The first access's address therefore gives all others, and
 * its callback stands for all of them, in their order.
 *
 * If an instruction of a group faults, the whole group has been counted by then, as have all
 * instructions of its block. */
#ifndef VPMU_FEED_ACCESS_GROUPS_H
#define VPMU_FEED_ACCESS_GROUPS_H

#include "addresses.h"

/* An access of a group. Its address is (the first access's & mask) + offset. The rest is what its
 * own callback would get. */
struct vpmu_grouped {
	uint64_t offset, mask;
	uint32_t info, site;
	uint8_t bytes;
	bool stores, modifies;
};

/* A line that accesses of a group go to, named as they are, and the last of these: its number, from
 * 1, and its site. */
struct vpmu_group_line { uint64_t offset, mask; uint32_t site; uint16_t last; bool stores; };

/* All lines of a group. count is 0 if an access crosses the end of its line, or if there are too
 * many lines. */
#define VPMU_GROUP_LINES 8u
struct vpmu_group_lines { uint32_t count; struct vpmu_group_line line[VPMU_GROUP_LINES]; };

/* User data of the first access. */
struct vpmu_group {
	struct vpmu_group *next;	/* of all that there are */
	uint64_t user;			/* the first one's, and its ways, as if it were alone */
	uint32_t ways, count;
	/* Lines for each place, in steps of 8 bytes, that the first access may have in its line.
	 * `before` is subtracted from its address first; the rest is mostly a multiple of 8. NULL:
	 * not computed yet. */
	uint32_t before;
	struct vpmu_group_lines *lines[8];
	struct vpmu_grouped access[];
};

/* With fewer accesses a group takes as long as they do. */
#define VPMU_GROUP_MIN 4u
#define VPMU_GROUP_MAX 512u		/* QEMU's blocks have no more instructions */

/* A group while its block is translated. */
struct vpmu_gathering {
	bool begun;
	struct vpmu_address first;
	uint64_t moved;			/* by how much RSP is more than at the first access */
	uint32_t count;
	uint16_t at[VPMU_GROUP_MAX];	/* numbers of instructions */
	struct vpmu_grouped access[VPMU_GROUP_MAX];
};

/* There is no group yet. */
void vpmu_gather_none(struct vpmu_gathering *g);
/* Begins a group with this access. */
void vpmu_gather_first(struct vpmu_gathering *g, const struct vpmu_address *first, size_t at);
/* The next access of the block. False: it is by other registers, or there is no group. */
bool vpmu_gather(struct vpmu_gathering *g, const struct vpmu_address *a, size_t at);
/* Behind an instruction that changes these registers. The group ends where it is not known how. */
void vpmu_gather_behind(struct vpmu_gathering *g, struct vpmu_code code, uint32_t writes);
/* Ends the group. The caller fills in user data, ways and sites. NULL: there are too few accesses,
 * or no memory. A group lives until vpmu_groups_free(). */
struct vpmu_group *vpmu_gather_end(struct vpmu_gathering *g);

/* The lines where the first access is to this address, `before` behind a multiple of 8. */
const struct vpmu_group_lines *vpmu_group_look(struct vpmu_group *group, uint64_t address);

/* When no translation is left, and none is being made. */
void vpmu_groups_free(void);

#endif
