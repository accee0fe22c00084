/* SPDX-License-Identifier: MIT */
/* Finds groups of accesses while a block is translated, and the lines that a group goes to.
 * vpmu_gather*() work on the caller's gathering and need no lock. vpmu_gather_end() puts the
 * finished group into a list, from which vpmu_groups_free() frees all when QEMU drops its
 * translations. vpmu_group_look() computes a group's lines at the first use and publishes them by
 * one atomic exchange, so threads may race there. */
#include "access_groups.h"

#include <stdlib.h>
#include <string.h>

#include "../cache/caches.h"

static struct vpmu_group *groups;

static bool is_absolute(const struct vpmu_address *a)
{
	return a->base == VPMU_NO_REGISTER;
}

static bool is_by_the_same(const struct vpmu_address *a, const struct vpmu_address *b)
{
	return a->base == b->base && a->index == b->index && a->scale == b->scale;
}

static uint32_t registers(const struct vpmu_address *a)
{
	return (1u << a->base | 1u << a->index) & 0xffff;
}

void vpmu_gather_none(struct vpmu_gathering *g)
{
	g->begun = false;
	g->count = 0;
}

static void put(struct vpmu_gathering *g, const struct vpmu_address *a, size_t at)
{
	uint64_t offset = a->constant + g->moved - g->first.constant;

	g->at[g->count] = (uint16_t)at;
	g->access[g->count++] = (struct vpmu_grouped){
		.offset = is_absolute(a) ? a->constant : offset,
		.mask = is_absolute(a) ? 0 : UINT64_MAX,
		.bytes = (uint8_t)(1u << a->shift), .stores = a->stores,
	};
}

void vpmu_gather_first(struct vpmu_gathering *g, const struct vpmu_address *first, size_t at)
{
	vpmu_gather_none(g);
	g->begun = true;
	g->first = *first;
	g->moved = 0;
	put(g, first, at);
}

bool vpmu_gather(struct vpmu_gathering *g, const struct vpmu_address *a, size_t at)
{
	if (!g->begun || g->count == VPMU_GROUP_MAX ||
	    (!is_absolute(a) && !is_by_the_same(a, &g->first)))
		return false;
	put(g, a, at);
	return true;
}

void vpmu_gather_behind(struct vpmu_gathering *g, struct vpmu_code code, uint32_t writes)
{
	uint32_t changed = g->begun ? writes & registers(&g->first) : 0;
	int64_t by;

	if (!changed)
		return;
	if (changed == 1u << VPMU_RSP && vpmu_stack_moves(code, &by))
		g->moved += (uint64_t)by;
	else
		g->begun = false;
}

static void keep(struct vpmu_group *group)
{
	group->next = __atomic_load_n(&groups, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&groups, &group->next, group, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

struct vpmu_group *vpmu_gather_end(struct vpmu_gathering *g)
{
	size_t bytes = g->count * sizeof(g->access[0]);
	struct vpmu_group *group = NULL;

	if (g->count >= VPMU_GROUP_MIN)
		group = malloc(sizeof(*group) + bytes);
	if (group) {
		*group = (struct vpmu_group){ .count = g->count,
					      .before = (uint32_t)(g->first.constant % 8) };
		memcpy(group->access, g->access, bytes);
		keep(group);
	}
	g->begun = false;
	return group;
}

/* ---- lines ---- */

static struct vpmu_group_line *find_line(struct vpmu_group_lines *lines, uint64_t offset,
					 uint64_t mask)
{
	struct vpmu_group_line *line = lines->line;

	while (line < lines->line + lines->count && (line->offset != offset || line->mask != mask))
		line++;
	if (line == lines->line + lines->count && lines->count < VPMU_GROUP_LINES)
		lines->line[lines->count++] = (struct vpmu_group_line){ offset, mask, 0, 0, false };
	return line;
}

/* False: it leaves its line, or there are too many. */
static bool add_access(struct vpmu_group_lines *lines, const struct vpmu_grouped *a,
		       uint64_t address, uint16_t number)
{
	uint64_t at = (address & a->mask) + a->offset, in_line = at % VPMU_LINE_BYTES;
	struct vpmu_group_line *line = find_line(lines, a->offset - in_line, a->mask);

	if (in_line + a->bytes > VPMU_LINE_BYTES || line == lines->line + VPMU_GROUP_LINES)
		return false;
	line->site = a->site;
	line->last = number;
	line->stores |= a->stores;
	return true;
}

static void find_lines(const struct vpmu_group *group, uint64_t address,
		       struct vpmu_group_lines *lines)
{
	for (uint32_t i = 0; i < group->count; i++)
		if (!add_access(lines, &group->access[i], address, (uint16_t)(i + 1))) {
			lines->count = 0;
			return;
		}
}

const struct vpmu_group_lines *vpmu_group_look(struct vpmu_group *group, uint64_t address)
{
	static struct vpmu_group_lines none;
	struct vpmu_group_lines **place = &group->lines[(address - group->before) / 8 % 8];
	struct vpmu_group_lines *found = NULL, *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return &none;
	find_lines(group, address, lines);
	if (__atomic_compare_exchange_n(place, &found, lines, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return lines;
	free(lines);
	return found;
}

static void free_group(struct vpmu_group *group)
{
	for (int i = 0; i < 8; i++)
		free(group->lines[i]);
	free(group);
}

void vpmu_groups_free(void)
{
	struct vpmu_group *group = __atomic_exchange_n(&groups, NULL, __ATOMIC_ACQUIRE);

	while (group) {
		struct vpmu_group *next = group->next;

		free_group(group);
		group = next;
	}
}
