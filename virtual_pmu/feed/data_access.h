/* SPDX-License-Identifier: MIT */
/* The path of a load or store through the caches, included by callbacks.c only. callbacks.c also
 * has the accesses that stand for a block or for other accesses. */
#ifndef VPMU_FEED_DATA_ACCESS_H
#define VPMU_FEED_DATA_ACCESS_H

#include "cache/nontemporal_stores.h"
#include "cache/plain_access.h"
#include "profile/charge.h"
#include "thread/clock.h"
#include "translate/translation.h"

#define SLOW __attribute__((noinline, cold))
#define NOINLINE __attribute__((noinline))
#define AS_GIVEN __attribute__((noinline, used))	/* keeps its arguments where they are */
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

static void touch(struct vpmu_emulated *t, uint64_t tag, enum vpmu_touch kind)
{
	vpmu_runner_settle(&t->runner);
	if (unlikely(t->combining.used))
		vpmu_nontemporal_release(t, tag);
	vpmu_caches_access(&vpmu_feed.caches, &t->runner, tag, kind);
}

static inline bool crosses_line(qemu_plugin_meminfo_t info, uint64_t address)
{
	return (vpmu_info_last(info, address) ^ address) & VPMU_LINE_BYTES;
}

/* Accesses both lines, across the end of the first. */
static NOINLINE void access_two(struct vpmu_emulated *t, qemu_plugin_meminfo_t info,
				uint64_t address)
{
	uint64_t tag = vpmu_runner_tag(&t->runner, address);
	enum vpmu_touch kind = info & VPMU_INFO_STORE ? VPMU_STORE : VPMU_LOAD;

	touch(t, tag, kind);
	touch(t, tag + VPMU_LINE_BYTES, kind);
}

/* The instruction's entry in the table of sites. The user data of its callback is the offset. */
static inline struct vpmu_way **site_of(struct vpmu_runner *r, void *user)
{
	return (struct vpmu_way **)(void *)((char *)r->site + (uintptr_t)user);
}

static inline struct vpmu_emulated *emulated_of(struct vpmu_runner *r)
{
	return (struct vpmu_emulated *)(void *)((char *)r - offsetof(struct vpmu_emulated, runner));
}

/* A miss of the L1D that was just searched. The L1D then has this word. */
static inline bool missed_plain(struct vpmu_runner *r, uint64_t word)
{
	if (!r->plain || emulated_of(r)->combining.used)
		return false;
	vpmu_runner_settle(r);
	return vpmu_plain_miss(&vpmu_feed.caches, r, word);
}

/* The way in which the L1 has the line; or NULL. */
static inline struct vpmu_way *runner_find_way(struct vpmu_runner *r, uint64_t tag)
{
	return r->usual ? vpmu_fast_find_usual(&r->l1d, tag) : vpmu_fast_find(&r->l1d, tag);
}

static inline void found(struct vpmu_runner *r, void *user, struct vpmu_way *way)
{
	l1_touch(way, &r->uses);
	*site_of(r, user) = way;
}

SLOW static void touch_word(struct vpmu_runner *r, uint64_t word)
{
	enum vpmu_touch kind = set_state(word) == VPMU_WORD_M ? VPMU_STORE : VPMU_LOAD;

	touch(emulated_of(r), set_tag(word), kind);
}

static inline uint32_t site_number(void *user)
{
	return (uint32_t)((uintptr_t)user / sizeof(struct vpmu_way *));
}

/* Around a load's miss. */
static inline void load_begins(struct vpmu_runner *r, void *user, uint64_t tag)
{
	if (!r->predictor)
		return;
	vpmu_runner_settle(r);
	vpmu_runner_load_begins(r, site_number(user), tag);
}

static inline void load_ends(struct vpmu_runner *r, void *user)
{
	if (r->predictor)
		vpmu_runner_load_ends(r, site_number(user));
}

/* The line, which the access does not leave, is not in the L1. Functions that the fast paths leave
 * the rest to have the callback's arguments, so that these need not be moved. */
static AS_GIVEN void access_missed(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
				   void *user, struct vpmu_runner *r, uint64_t tag)
{
	uint64_t word = tag | (info & VPMU_INFO_STORE ? VPMU_WORD_M : VPMU_WORD_E);

	(void)vcpu, (void)address;
	if (!(info & VPMU_INFO_STORE))
		load_begins(r, user, tag);
	if (!missed_plain(r, word))
		touch_word(r, word);
	if (!(info & VPMU_INFO_STORE))
		load_ends(r, user);
	*site_of(r, user) = r->filled;
}

/* Store hit on a line in Shared state: request ownership. */
SLOW static void access_shared(struct vpmu_runner *r, void *user, uint64_t tag)
{
	touch_word(r, tag | VPMU_WORD_M);
	*site_of(r, user) = r->filled;
}

/* Another line than the instruction's last, or not in a state that permits this. */
static AS_GIVEN void access_search(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
				   void *user, struct vpmu_runner *r, uint64_t tag)
{
	struct vpmu_way *way;

	way = runner_find_way(r, tag);
	if (!way)
		access_missed(vcpu, info, address, user, r, tag);
	else if (!(info & VPMU_INFO_STORE) || l1_way_modify(way, tag))
		found(r, user, way);
	else
		access_shared(r, user, tag);
}

/* A load or a store. */
static inline void access_any(struct vpmu_runner *r, unsigned int vcpu, qemu_plugin_meminfo_t info,
			      uint64_t address, void *user)
{
	struct vpmu_way *way = *site_of(r, user);
	uint64_t word = __atomic_load_n(&way->word, __ATOMIC_RELAXED);
	uint64_t tag = vpmu_runner_tag(r, address), state = word ^ tag;	/* if it is this line */

	if (unlikely(crosses_line(info, address)))
		access_two(emulated_of(r), info, address);
	else if (state == VPMU_WORD_M || (state - 1 < VPMU_WORD_M && !(info & VPMU_INFO_STORE)))
		l1_touch(way, &r->uses);
	else
		access_search(vcpu, info, address, user, r, tag);
}

/* A load, and then a store. */
SLOW static void modify_twice(struct vpmu_runner *r, uint64_t tag)
{
	touch_word(r, tag | VPMU_WORD_E);
	touch_word(r, tag | VPMU_WORD_M);
}

static NOINLINE void modify_two(struct vpmu_emulated *t, qemu_plugin_meminfo_t info,
				uint64_t address)
{
	access_two(t, info & ~VPMU_INFO_STORE, address);
	access_two(t, info, address);
}

/* In the plain case a load's miss and the store to its line are one: a store's miss. */
static AS_GIVEN void modify_missed(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
				   void *user, struct vpmu_runner *r, uint64_t tag)
{
	(void)vcpu, (void)info, (void)address;
	load_begins(r, user, tag);
	if (!missed_plain(r, tag | VPMU_WORD_M))
		modify_twice(r, tag);
	load_ends(r, user);
	*site_of(r, user) = r->filled;
}

SLOW static void modify_shared(struct vpmu_runner *r, void *user, uint64_t tag)
{
	modify_twice(r, tag);
	*site_of(r, user) = r->filled;
}

/* A load, and then a store, of a line that is not modified yet, or not where it was last. */
static AS_GIVEN void modify_search(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
				   void *user, struct vpmu_runner *r, uint64_t tag)
{
	struct vpmu_way *way;

	way = runner_find_way(r, tag);
	if (!way)
		modify_missed(vcpu, info, address, user, r, tag);
	else if (l1_way_modify(way, tag))
		found(r, user, way);
	else
		modify_shared(r, user, tag);
}

/* A load and then a store of the same place, of which only the store is shown. */
static inline void modify(struct vpmu_runner *r, unsigned int vcpu, qemu_plugin_meminfo_t info,
			  uint64_t address, void *user)
{
	struct vpmu_way *way = *site_of(r, user);
	uint64_t word = __atomic_load_n(&way->word, __ATOMIC_RELAXED);
	uint64_t tag = vpmu_runner_tag(r, address);

	if (unlikely(crosses_line(info, address)))
		modify_two(emulated_of(r), info, address);
	else if (word != (tag | VPMU_WORD_M))
		modify_search(vcpu, info, address, user, r, tag);
	else
		l1_touch(way, &r->uses);
}

#endif
