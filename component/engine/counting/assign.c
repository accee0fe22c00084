/* SPDX-License-Identifier: MIT */
/* Which counter takes which event: a matching in a small bipartite graph, found by augmenting
 * paths, so that a solution is found whenever there is one. */
#include "assign.h"

#include "../why.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct matching {
	struct ipmu_want *wants;
	int counters;
	int holder[IPMU_COUNTERS_MAX];	/* want on that counter; -1 free, -2 not to be had */
};

static bool place(struct matching *m, int want, uint64_t *tried)
{
	for (int c = 0; c < m->counters; c++) {
		uint64_t bit = 1ull << c;

		if (!(m->wants[want].counters & bit) || (*tried & bit) || m->holder[c] == -2)
			continue;
		*tried |= bit;
		if (m->holder[c] == -1 || place(m, m->holder[c], tried)) {
			m->holder[c] = want;
			return true;
		}
	}
	return false;
}

static int running_slot(const struct ipmu_box *box, const struct ipmu_want *w)
{
	for (int c = 0; box && c < box->type->counters; c++) {
		const struct ipmu_slot *s = &box->slots[c];

		if (s->users && s->select == w->select && s->counters == w->counters)
			return c;
	}
	return -1;
}

static const char *holder_name(const struct matching *m, const struct ipmu_box *box, int c)
{
	if (m->holder[c] >= 0)
		return m->wants[m->holder[c]].event;
	return m->holder[c] == -2 ? box->slots[c].event : "nothing";
}

static int explain(const struct matching *m, const struct ipmu_box *box,
		   const struct ipmu_pmu_type *type, int box_index, int want, char *why)
{
	char list[IPMU_WHY_MAX / 2] = "";
	size_t n = 0;

	for (int c = 0; c < m->counters && n < sizeof(list); c++)
		if (m->wants[want].counters & (1ull << c))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "",
					      holder_name(m, box, c));
	return ipmu_fail(why, -ENOSPC, "%s collides with %s: %s box %d has %d counter%s, %d of "
			 "which can count it: measure them one after the other",
			 m->wants[want].event, list, type->name, box_index, m->counters,
			 m->counters == 1 ? "" : "s",
			 __builtin_popcountll(m->wants[want].counters));
}

int ipmu_assign(const struct ipmu_box *box, const struct ipmu_pmu_type *type, int box_index,
		struct ipmu_want *wants, int n, char *why)
{
	struct matching m = { .wants = wants, .counters = type->counters };

	for (int c = 0; c < m.counters; c++)
		m.holder[c] = box && box->slots[c].users ? -2 : -1;
	for (int w = 0; w < n; w++) {
		uint64_t tried = 0;

		wants[w].ctr = running_slot(box, &wants[w]);
		if (wants[w].ctr < 0 && !place(&m, w, &tried))
			return explain(&m, box, type, box_index, w, why);
	}
	for (int c = 0; c < m.counters; c++)
		if (m.holder[c] >= 0)
			wants[m.holder[c]].ctr = c;
	return 0;
}
