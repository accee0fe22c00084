/* SPDX-License-Identifier: MIT */
/* Which callback each block and access of a program has. In user mode an access may have one that
 * does more than one thing at once, as long as what the caches see stays the same, in the same
 * order:
 * - VPMU_MODIFIES: an instruction loads from a place and then stores there. It also stands for two
 *   vector instructions that do the same with nothing but vectors between them: then the load
 *   has no callback. Both are seen at the store.
 * - VPMU_FIRST: the block's first access, which also stands for the block itself.
 * - An access may stand for others behind it, too: see access_groups.h. */
#ifndef VPMU_FEED_TRANSLATION_H
#define VPMU_FEED_TRANSLATION_H

#include "../core/core_feed.h"
#include "access_groups.h"
#include "timed_blocks.h"

enum { VPMU_MODIFIES = 1, VPMU_FIRST = 2, VPMU_WAYS = 4 };

struct vpmu_callbacks {
	struct vpmu_core_feed_parts parts;
	/* By the bits above, without parts between them and QEMU; NULL: none may be used. */
	const qemu_plugin_vcpu_mem_cb_t *accesses;
	qemu_plugin_vcpu_mem_cb_t group;	/* of an access with a group for its user data */
	qemu_plugin_vcpu_udata_cb_t repeat;	/* see retired.h */
	bool noted;	/* user data is a note, which has the user data that is described here */
};

/* Inside the translation callback: registers those of an ordinary machine's block. */
void vpmu_translation_register(const struct vpmu_callbacks *callbacks, struct qemu_plugin_tb *tb,
			       size_t instructions, struct vpmu_timed_block *timed);
/* The index of the access that stands for the block with this code; -1: none. */
struct vpmu_block_code { const uint8_t *bytes; size_t size, instructions; };
int vpmu_translation_first(const struct vpmu_callbacks *callbacks,
			   const struct vpmu_block_code *code);

#endif
