/* SPDX-License-Identifier: MIT */
/* Group set-up and tear-down of a test that uses PAPI on the virtual machine it runs on. The runner
 * checks for registers left changed (see run-tests). */
#ifndef PAPI_MACHINE_H
#define PAPI_MACHINE_H

#include "engine_fixture.h"
#include "on_machine.h"
#include "papi_sets.h"

static struct engine_fixture machine;

static inline int papi_machine_open(void **state)
{
	(void)state;
	machine.segment = on_machine_segment();
	return PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT ? 0 : -1;
}

static inline int papi_machine_close(void **state)
{
	(void)state;
	PAPI_shutdown();
	return machine.segment->violation_count ? -1 : 0;
}

#endif
