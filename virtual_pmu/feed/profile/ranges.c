/* SPDX-License-Identifier: MIT */
#include "ranges.h"

#include <stdlib.h>

/* A node's priority is not less than those below it. They are random, so the tree is balanced with
 * high probability, whatever the order in which a program allocates. */
struct vpmu_range_node {
	uint64_t start, end;
	uint32_t object, left, right, priority;
};

/* Moves the nodes into memory of twice the size. */
static bool ranges_grow(struct vpmu_ranges *r)
{
	uint32_t room = r->room ? r->room * 2 : 1024;
	struct vpmu_range_node *nodes;

	if (room < r->room)
		return false;
	nodes = realloc(r->nodes, room * sizeof(*nodes));
	if (!nodes)
		return false;
	r->nodes = nodes;
	r->room = room;
	if (!r->used)
		r->used = 1;
	return true;
}

static uint32_t range_random(struct vpmu_ranges *r)
{
	uint32_t x = r->random ? r->random : 2463534242u;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return r->random = x;
}

/* 0: no memory. */
static uint32_t range_make(struct vpmu_ranges *r, uint64_t start, uint64_t end, uint32_t object)
{
	uint32_t n = r->unused;

	if (n) {
		r->unused = r->nodes[n].left;
	} else {
		if (r->used == r->room && !ranges_grow(r))
			return 0;
		n = r->used++;
	}
	r->nodes[n] = (struct vpmu_range_node){
		.start = start, .end = end, .object = object, .priority = range_random(r),
	};
	return n;
}

static void range_drop(struct vpmu_ranges *r, uint32_t n)
{
	r->nodes[n].left = r->unused;
	r->unused = n;
}

/* Splits the tree: *below has the ranges that start before the address, *rest the others. */
static void range_split(struct vpmu_range_node *nodes, uint32_t tree, uint64_t address,
			uint32_t *below, uint32_t *rest)
{
	while (tree) {
		struct vpmu_range_node *n = &nodes[tree];

		if (n->start < address) {
			*below = tree;
			below = &n->right;
			tree = n->right;
		} else {
			*rest = tree;
			rest = &n->left;
			tree = n->left;
		}
	}
	*below = *rest = 0;
}

/* All ranges of `a` are before those of `b`. */
static uint32_t range_join(struct vpmu_range_node *nodes, uint32_t a, uint32_t b)
{
	uint32_t root = 0, *to = &root;

	while (a && b) {
		if (nodes[a].priority >= nodes[b].priority) {
			*to = a;
			to = &nodes[a].right;
			a = *to;
		} else {
			*to = b;
			to = &nodes[b].left;
			b = *to;
		}
	}
	*to = a ? a : b;
	return root;
}

static uint32_t range_last(const struct vpmu_range_node *nodes, uint32_t tree)
{
	while (tree && nodes[tree].right)
		tree = nodes[tree].right;
	return tree;
}

static void range_drop_all(struct vpmu_ranges *r, uint32_t tree)
{
	while (tree) {
		uint32_t left = r->nodes[tree].left, right = r->nodes[tree].right;

		if (left) {	/* turn the tree until it is a list to the right */
			r->nodes[tree].left = r->nodes[left].right;
			r->nodes[left].right = tree;
			tree = left;
		} else {
			range_drop(r, tree);
			tree = right;
		}
	}
}

void vpmu_ranges_remove(struct vpmu_ranges *r, uint64_t start, uint64_t end)
{
	uint32_t below, rest, last, tail = 0;
	uint64_t last_end;

	if (start >= end || !r->root)
		return;
	r->version++;
	range_split(r->nodes, r->root, end, &below, &rest);
	last = range_last(r->nodes, below);
	if (last && r->nodes[last].end > end) {	/* what lies behind the end stays */
		uint32_t object = r->nodes[last].object;

		last_end = r->nodes[last].end;
		r->nodes[last].end = end;
		tail = range_make(r, end, last_end, object);
	}
	range_split(r->nodes, below, start, &below, &last);
	range_drop_all(r, last);
	last = range_last(r->nodes, below);
	if (last && r->nodes[last].end > start)
		r->nodes[last].end = start;
	r->root = range_join(r->nodes, range_join(r->nodes, below, tail), rest);
}

bool vpmu_ranges_add(struct vpmu_ranges *r, uint64_t start, uint64_t end, uint32_t object)
{
	uint32_t below, rest, n;

	if (start >= end)
		return true;
	vpmu_ranges_remove(r, start, end);
	r->version++;
	n = range_make(r, start, end, object);
	if (!n)
		return false;
	range_split(r->nodes, r->root, start, &below, &rest);
	r->root = range_join(r->nodes, range_join(r->nodes, below, n), rest);
	return true;
}

/* The range that starts last at or before the address; 0: none does. */
static uint32_t at_or_before(const struct vpmu_ranges *r, uint64_t address)
{
	uint32_t best = 0, tree = r->root;

	while (tree) {
		const struct vpmu_range_node *n = &r->nodes[tree];

		if (n->start <= address)
			best = tree;
		tree = n->start <= address ? n->right : n->left;
	}
	return best;
}

bool vpmu_ranges_find(const struct vpmu_ranges *r, uint64_t address, struct vpmu_range *found)
{
	uint32_t n = at_or_before(r, address);

	if (!n || r->nodes[n].end <= address)
		return false;
	*found = (struct vpmu_range){ r->nodes[n].start, r->nodes[n].end, r->nodes[n].object };
	return true;
}

bool vpmu_ranges_take(struct vpmu_ranges *r, uint64_t start, struct vpmu_range *taken)
{
	if (!vpmu_ranges_find(r, start, taken) || taken->start != start)
		return false;
	vpmu_ranges_remove(r, taken->start, taken->end);
	return true;
}

void vpmu_ranges_free(struct vpmu_ranges *r)
{
	free(r->nodes);
	*r = (struct vpmu_ranges){ 0 };
}
