/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "run.h"

bool group_unknown(int rc)
{
	return rc == -EPERM || rc == -EIO || rc == -ENOMEM;
}

int group_here(const struct machine *m, const struct group *g, char why[COUNT_WHY_MAX])
{
	struct event e;
	int rc = 0;

	for (int i = 0; i < g->nevents && !rc; i++) {
		if (g->events[i].clock && !m->is_virtual)
			continue;
		rc = event_find(m, g->events[i].name, (struct split){ false, false }, &e, why);
		if (!rc)
			event_free(&e);
	}
	return rc;
}
