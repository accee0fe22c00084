/* SPDX-License-Identifier: MIT */
/* The order of an event's parts: by node, package, box and CPU, and those that do not name one of
 * these last. So a part, or those of a node, are found without a search of all parts: a job has at
 * least a part for each node, and each is a row. */
#include "machine.h"

int part_order(const struct part *a, const struct part *b, int members)
{
	const unsigned int one[] = { (unsigned int)a->node, (unsigned int)a->package,
				     (unsigned int)a->box, (unsigned int)a->cpu };
	const unsigned int other[] = { (unsigned int)b->node, (unsigned int)b->package,
				       (unsigned int)b->box, (unsigned int)b->cpu };

	for (int i = 0; i < members; i++)
		if (one[i] != other[i])
			return one[i] < other[i] ? -1 : 1;
	return 0;
}

/* The first of n parts that is not before p, or, with after, that is behind it. */
static int part_bound(const struct part *parts, int n, const struct part *p, int members,
		      bool after)
{
	int low = 0, high = n;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (part_order(&parts[middle], p, members) < after)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void parts_range(const struct event *e, const struct part *p, int members, int *begin, int *end)
{
	*begin = part_bound(e->parts, e->nparts, p, members, false);
	*end = part_bound(e->parts, e->nparts, p, members, true);
}

int part_find(const struct event *e, const struct part *p)
{
	const struct part *sums = e->parts + e->nparts;
	int i = part_bound(e->parts, e->nparts, p, PART_MEMBERS, false);

	if (i < e->nparts && !part_order(&e->parts[i], p, PART_MEMBERS))
		return i;
	i = part_bound(sums, e->nsums, p, PART_MEMBERS, false);
	return i < e->nsums && !part_order(&sums[i], p, PART_MEMBERS) ? e->nparts + i : -1;
}
