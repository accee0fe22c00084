/* SPDX-License-Identifier: MIT */
/* A virtual machine in a scratch directory, for the unit tests of the virtual PMU. */
#ifndef TESTS_VPMU_MACHINE_H
#define TESTS_VPMU_MACHINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "virtual_pmu/model/model.h"

struct scratch {
	char directory[64], path[96];
	struct vpmu_segment *s;
};

static inline void scratch_make(struct scratch *t, const struct vpmu_machine *m)
{
	char why[256] = "";

	snprintf(t->directory, sizeof(t->directory), "/tmp/vpmu-test-XXXXXX");
	assert_non_null(mkdtemp(t->directory));
	snprintf(t->path, sizeof(t->path), "%s/segment", t->directory);
	if (vpmu_segment_create(t->path, m, &t->s, why, sizeof(why)))
		fail_msg("%s", why);
}

static inline struct vpmu_machine scratch_machine(const char *name)
{
	struct vpmu_machine m;
	char why[256] = "";

	if (vpmu_machine_parse(name, &m, why, sizeof(why)))
		fail_msg("%s", why);
	return m;
}

static inline void scratch_open(struct scratch *t, const char *machine)
{
	struct vpmu_machine m = scratch_machine(machine);

	scratch_make(t, &m);
}

static inline void scratch_close(struct scratch *t)
{
	vpmu_segment_close(t->s);
	unlink(t->path);
	rmdir(t->directory);
}

#endif
