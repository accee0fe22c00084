/* SPDX-License-Identifier: MIT */
/* The shadow stack: random programs against a list of the functions that are open, each of which is
 * given each instruction and event at once; and what such programs do not have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "virtual_pmu/feed/profile/calls.h"
#include "virtual_pmu/machine/profile_file.h"

#define ARCS 4096u
#define KINDS 3u
#define STACK UINT64_C(0x7fff0000)
#define STUB UINT64_C(0x900)

static struct vpmu_profile_arc records[ARCS];
static uint64_t events[ARCS][KINDS];
static uint32_t used, room, lost;

static struct vpmu_profile_arc *make_record(uint32_t call, uint64_t target)
{
	if (used == room)
		return NULL;
	records[used] = (struct vpmu_profile_arc){ .call = call, .target = target };
	return &records[used++];
}

static void add_event(struct vpmu_profile_arc *arc, uint32_t kind, uint64_t n)
{
	events[arc - records][kind] += n;
}

static bool is_stub(uint64_t address)
{
	return address == STUB || address == STUB + 16;
}

static void lose_call(void)
{
	lost++;
}

static const uint32_t paused;

static struct vpmu_arcs arcs = {
	.make = make_record, .add = add_event, .is_stub = is_stub, .lost = lose_call,
	.paused = &paused,
};

static void forget_arcs(void)
{
	for (uint32_t i = 0; i < arcs.size; i++)
		free(arcs.hash[i]);
	free(arcs.hash);
	free(arcs.targets);
	arcs.hash = NULL;
	arcs.targets = NULL;
	arcs.size = arcs.used = arcs.targets_size = arcs.functions = used = lost = 0;
	room = ARCS;
	memset(events, 0, sizeof(events));
}

static void begin(struct vpmu_calls *c)
{
	forget_arcs();
	vpmu_calls_begin(c, &arcs);
}

/* UINT32_MAX: there is no such arc. */
static uint32_t find_arc(uint32_t call, uint64_t target)
{
	for (uint32_t i = 0; i < used; i++)
		if (records[i].target == target && records[i].call == call)
			return i;
	return UINT32_MAX;
}

static uint64_t events_of(uint32_t call, uint64_t target, uint32_t kind)
{
	return events[find_arc(call, target)][kind];
}

static void check_arc(uint32_t call, uint64_t target, uint64_t calls, uint64_t instructions)
{
	uint32_t at = find_arc(call, target);

	assert_int_not_equal(at, UINT32_MAX);
	assert_int_equal(records[at].calls, calls);
	assert_int_equal(records[at].instructions[0], instructions);
}

/* With so many instructions executed so far. */
static void call_at(uint64_t executed, struct vpmu_calls *c, struct vpmu_call_site *site,
		    uint64_t sp)
{
	c->total.instructions[0] = executed;
	vpmu_calls_call(c, site, sp);
}

static void return_at(uint64_t executed, struct vpmu_calls *c, uint64_t sp)
{
	c->total.instructions[0] = executed;
	vpmu_calls_return(c, sp);
}

static void function_at(uint64_t executed, struct vpmu_calls *c, uint64_t address, uint64_t sp)
{
	c->total.instructions[0] = executed;
	vpmu_calls_function(c, address, sp);
}

static void end_at(uint64_t executed, struct vpmu_calls *c)
{
	c->total.instructions[0] = executed;
	vpmu_calls_end(c);
}

/* The first call by a stub comes through two more, and to a function that finds the called one. */
static void the_loader_is_not_among_the_callers(void **state)
{
	struct vpmu_call_site call = { .call = 1 }, jump = { .call = 2 };
	struct vpmu_calls c;
	uint32_t notes[4];

	(void)state;
	begin(&c);
	vpmu_calls_enter(&c, 0x100);
	for (uint64_t i = 0; i < 2; i++) {
		call_at(i * 20 + 10, &c, &call, STACK);
		vpmu_calls_enter(&c, STUB);
		if (!i) {
			vpmu_calls_enter(&c, STUB + 16);
			vpmu_calls_enter(&c, 0x700);
			vpmu_calls_jump(&c, &jump);
			function_at(16, &c, 0x200, STACK);
		} else {
			vpmu_calls_enter(&c, 0x200);
		}
		assert_int_equal(vpmu_calls_chain(&c, notes, 4), 1);
		assert_int_equal(notes[0], 1);
		return_at(i * 20 + 19, &c, STACK);
	}
	end_at(40, &c);
	check_arc(1, 0x700, 1, 6);
	check_arc(1, 0x200, 2, 12);
	assert_int_equal(find_arc(2, 0x200), UINT32_MAX);
}

/* Deeper than there are rows, with an event in each frame. */
static void events_of_deep_recursion_are_all_counted(void **state)
{
	struct vpmu_call_site call = { .call = 1 }, again = { .call = 2 };
	struct vpmu_calls c;

	(void)state;
	begin(&c);
	vpmu_calls_enter(&c, 0x100);
	for (uint64_t i = 0; i < 100000; i++) {
		call_at(i + 1, &c, i ? &again : &call, STACK - i * 16);
		vpmu_calls_enter(&c, 0x200);
		vpmu_calls_event(&c, 0, 1);
	}
	for (uint64_t i = 100000; i; i--)
		return_at(200000 - i + 1, &c, STACK - (i - 1) * 16);
	end_at(200000, &c);
	check_arc(1, 0x200, 1, 199999);
	check_arc(2, 0x200, 99999, 0);
	assert_int_equal(events_of(1, 0x200, 0), 100000);
	assert_int_equal(events_of(0, 0x100, 0), 100000);
}

/* ---- random programs ---- */

#define FUNCTIONS 9u
#define DEPTH 60u

struct open { uint64_t sp, target; uint32_t call; bool outermost; };
static struct open opened[DEPTH];
static uint32_t depth;
static struct { uint64_t calls, n[KINDS + 1]; } expected[FUNCTIONS * FUNCTIONS + 1][FUNCTIONS];

static uint64_t passed;	/* instructions */
static uint64_t seed = 88172645463325252u;

static uint32_t below(uint32_t limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % limit;
}

static void open_function(uint32_t call, uint32_t function, uint64_t sp)
{
	struct open *o = &opened[depth++];

	*o = (struct open){ sp, function, call, true };
	for (uint32_t i = 0; i + 1 < depth; i++)
		o->outermost &= opened[i].target != function;
	expected[call][function].calls++;
}

static void happen(uint32_t what, uint64_t n)
{
	for (uint32_t i = 0; i < depth; i++)
		if (opened[i].outermost)
			expected[opened[i].call][opened[i].target].n[what] += n;
}

/* A jump to a function that is open on this stack pointer ends what that one has jumped to. */
static void tail_call(struct vpmu_calls *c, struct vpmu_call_site *sites, uint32_t function)
{
	const struct open *top = &opened[depth - 1];
	uint32_t call = (uint32_t)top->target * FUNCTIONS + function + 1, at = depth;
	uint64_t sp = top->sp;

	while (at && opened[at - 1].sp == sp && opened[at - 1].target != function)
		at--;
	vpmu_calls_jump(c, &sites[call]);
	function_at(passed, c, function + 0x100, sp);
	if (!at || opened[at - 1].sp != sp) {
		open_function(call, function, sp);
	} else if (at < depth) {
		expected[call][function].calls++;
		depth = at;
	}
}

/* The chain of calls is that of the list. */
static void check_stack(const struct vpmu_calls *c)
{
	uint32_t notes[DEPTH], n = vpmu_calls_chain(c, notes, DEPTH), k = 0;

	assert_int_equal(c->depth, depth);
	assert_false(c->entered);
	for (uint32_t i = depth; i; i--)
		if (opened[i - 1].call)
			assert_int_equal(notes[k++], opened[i - 1].call);
	assert_int_equal(n, k);
}

static void check_all_arcs(void)
{
	for (uint32_t call = 0; call <= FUNCTIONS * FUNCTIONS; call++)
		for (uint32_t f = 0; f < FUNCTIONS; f++) {
			uint32_t at = find_arc(call, f + 0x100);

			if (!expected[call][f].calls) {
				assert_int_equal(at, UINT32_MAX);
				continue;
			}
			check_arc(call, f + 0x100, expected[call][f].calls,
				  expected[call][f].n[KINDS]);
			for (uint32_t k = 0; k < KINDS; k++)
				assert_int_equal(events[at][k], expected[call][f].n[k]);
		}
}

static void random_step(struct vpmu_calls *c, struct vpmu_call_site *sites)
{
	struct open *top = &opened[depth - 1];
	uint32_t function = below(FUNCTIONS);
	uint32_t call = (uint32_t)top->target * FUNCTIONS + function + 1;
	uint64_t sp = top->sp;

	switch (below(10)) {
	case 0: case 1:
		if (depth == DEPTH)
			return;
		sp -= 16 + 8 * below(4);
		call_at(passed, c, &sites[call], sp);
		if (below(3) == 0) {
			vpmu_calls_enter(c, STUB);
			assert_true(c->entered);
		}
		vpmu_calls_enter(c, function + 0x100);
		open_function(call, function, sp);
		return;
	case 2: case 3:
		if (sp == UINT64_MAX)
			return;
		return_at(passed, c, sp);
		while (opened[depth - 1].sp == sp)
			depth--;
		return;
	case 4:
		if (sp != UINT64_MAX && depth < DEPTH)
			tail_call(c, sites, function);
		return;
	case 5:		/* a handler of a signal, or another name inside of a function */
		if (depth == DEPTH || function == top->target)
			return;
		sp -= 800 * (uint64_t)below(2);
		function_at(passed, c, function + 0x100, sp);
		if (sp != top->sp)
			open_function(0, function, sp);
		return;
	case 6:
		if (below(20))
			return;
		sp = opened[below(depth)].sp;	/* longjmp */
		c->total.instructions[0] = passed;
		vpmu_calls_unwind(c, sp);
		while (opened[depth - 1].sp < sp)
			depth--;
		return;
	case 7:
		if (below(50) == 0)
			vpmu_calls_settle(c);
		return;
	default:
		call = below(KINDS);
		passed += 3;
		happen(KINDS, 3);
		vpmu_calls_event(c, call, 2);
		happen(call, 2);
		return;
	}
}

static void random_programs_agree_with_a_list(void **state)
{
	struct vpmu_call_site sites[FUNCTIONS * FUNCTIONS + 1];
	struct vpmu_calls c;

	(void)state;
	for (uint32_t i = 0; i <= FUNCTIONS * FUNCTIONS; i++)
		sites[i] = (struct vpmu_call_site){ .call = i };
	begin(&c);
	passed = 0;
	vpmu_calls_enter(&c, 0x100);
	open_function(0, 0, UINT64_MAX);
	for (uint32_t i = 0; i < 300000; i++) {
		random_step(&c, sites);
		check_stack(&c);
	}
	end_at(passed, &c);
	check_all_arcs();
	assert_int_equal(lost, 0);
}

/* ---- what has no place, and processes ---- */

static void calls_without_a_place_are_lost(void **state)
{
	struct vpmu_call_site call = { .call = 1 };
	struct vpmu_calls c;
	uint64_t calls = 0;

	(void)state;
	begin(&c);
	vpmu_calls_enter(&c, 0x100);
	for (uint64_t i = 0; i < 2 * ARCS; i++) {
		call_at(i, &c, &call, STACK);
		vpmu_calls_enter(&c, 0x1000 + i * 16);
		return_at(i, &c, STACK);
	}
	end_at(2 * ARCS, &c);
	for (uint32_t i = 0; i < used; i++)
		calls += records[i].calls;
	assert_true(lost > 0);
	assert_int_equal(calls + lost, 2 * ARCS + 1);
}

static void a_child_counts_from_the_fork(void **state)
{
	struct vpmu_call_site call = { .call = 1 };
	struct vpmu_calls c;

	(void)state;
	begin(&c);
	vpmu_calls_enter(&c, 0x100);
	call_at(10, &c, &call, STACK);
	vpmu_calls_enter(&c, 0x200);
	vpmu_calls_event(&c, 0, 5);
	c.total.instructions[0] = 20;
	for (uint32_t i = 0; i < used; i++)
		records[i].calls = records[i].instructions[0] = 0;
	vpmu_calls_forked(&c);
	vpmu_calls_event(&c, 0, 7);
	return_at(32, &c, STACK);
	call_at(34, &c, &call, STACK);
	vpmu_calls_enter(&c, 0x200);
	return_at(35, &c, STACK);
	end_at(40, &c);
	check_arc(0, 0x100, 0, 20);
	check_arc(1, 0x200, 1, 13);
	assert_int_equal(events_of(0, 0x100, 0), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_loader_is_not_among_the_callers),
		cmocka_unit_test(events_of_deep_recursion_are_all_counted),
		cmocka_unit_test(random_programs_agree_with_a_list),
		cmocka_unit_test(calls_without_a_place_are_lost),
		cmocka_unit_test(a_child_counts_from_the_fork),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	forget_arcs();
	return failed;
}
