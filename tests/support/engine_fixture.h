/* SPDX-License-Identifier: MIT */
/* The engine opened on the virtual machine of this test process. */
#ifndef ENGINE_FIXTURE_H
#define ENGINE_FIXTURE_H

#include "model/core_events.h"
#include "ipmu.h"
#include "model/model.h"

struct engine_fixture {
	struct ipmu_topology *topo;
	struct ipmu_system *sys;
	struct vpmu_segment *segment;
};

/* cmocka group set-up and tear-down; *state is a struct engine_fixture. The tear-down fails if a
 * register is not as it was found or a reserved bit was written. */
int engine_fixture_open(void **state);
int engine_fixture_close(void **state);
/* Set-up for any machine: `found` is what registers of each CPU hold before the system is opened,
 * up to a NULL name: values that a restore of zeros would not bring back. */
struct engine_found {
	const char *reg;
	uint64_t value;
};
int engine_fixture_open_on(void **state, enum ipmu_scope scope, const struct engine_found *found);

/* How many registers are not as they were found by now. */
int engine_fixture_changed(const struct engine_fixture *f, bool tell);

/* Parse, or end the test with the reason. */
struct ipmu_event engine_fixture_event(const struct engine_fixture *f, const char *name);

/* Sessions; each of these ends the test with the reason if it fails. `started` is session and
 * start, `end` stops, gives the counts (unless NULL) and frees. */
struct ipmu_session *engine_fixture_session(const struct engine_fixture *f,
					    const char *const *names, int n);
void engine_fixture_start(struct ipmu_session *s);
struct ipmu_session *engine_fixture_started(const struct engine_fixture *f,
					    const char *const *names, int n);
/* Reads a set of two events: what that returns, and both counts. */
void engine_fixture_expect(struct ipmu_session *s, int rc, uint64_t a, uint64_t b);
void engine_fixture_end(struct ipmu_session *s, uint64_t *values);

/* Copy the values of all registers as that CPU sees them; returns how many. */
int engine_fixture_registers(const struct engine_fixture *f, uint32_t cpu, uint64_t *values,
			     int room);
void engine_fixture_poke(const struct engine_fixture *f, const char *reg, uint64_t value);
uint64_t engine_fixture_peek(const struct engine_fixture *f, const char *reg);
/* The same as one CPU sees it; those above mean CPU 0. */
void engine_fixture_poke_on(const struct engine_fixture *f, uint32_t cpu, const char *reg,
			    uint64_t value);
uint64_t engine_fixture_peek_on(const struct engine_fixture *f, uint32_t cpu, const char *reg);

/* n occurrences on a CPU in its last `clocks` clocks. */
void engine_fixture_raise(const struct engine_fixture *f, uint32_t cpu, enum vpmu_core_event event,
			  uint32_t n, uint32_t clocks);
/* n lookups of a slice that miss, one a clock, as a core would make them. */
void engine_fixture_misses(const struct engine_fixture *f, uint32_t slice, int n);

#endif
