/* SPDX-License-Identifier: MIT */
/* The engine opened on the virtual machine of this test process. */
#ifndef ENGINE_FIXTURE_H
#define ENGINE_FIXTURE_H

#include "ipmu.h"
#include "model.h"

struct engine_fixture {
	struct ipmu_topology *topo;
	struct ipmu_system *sys;
	struct vpmu_segment *segment;
};

/* cmocka group set-up and tear-down; *state is a struct engine_fixture. The tear-down fails if a
 * register is not as it was found or a reserved bit was written. */
int engine_fixture_open(void **state);
int engine_fixture_close(void **state);

/* Parse, or end the test with the reason. */
struct ipmu_event engine_fixture_event(const struct engine_fixture *f, const char *name);

/* Copy the values of all registers of the machine; returns how many. */
int engine_fixture_registers(const struct engine_fixture *f, uint64_t *values, int room);
void engine_fixture_poke(const struct engine_fixture *f, const char *reg, uint64_t value);
uint64_t engine_fixture_peek(const struct engine_fixture *f, const char *reg);

/* n lookups of a slice that miss, as a core would make them. */
void engine_fixture_misses(const struct engine_fixture *f, uint32_t slice, int n);

#endif
