/* SPDX-License-Identifier: MIT */
/* Counter assignment against exhaustive search. */
#include "counting/assign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ipmu_pmu_type type_of(int counters)
{
	return (struct ipmu_pmu_type){ .name = "box", .counters = counters };
}

static struct ipmu_request request_of(const struct ipmu_choice *choices, int n, const char *event)
{
	return (struct ipmu_request){ .choices = choices, .nchoices = n, .event = event };
}

/* ---- random boxes, beside an exhaustive search */

#define REQUESTS 6
#define COUNTERS 6
#define REGISTERS 2

static const struct ipmu_reg registers[REGISTERS] = { { .name = "A" }, { .name = "B" } };

static struct puzzle {
	struct ipmu_pmu_type type;
	struct ipmu_box box;
	struct ipmu_choice choices[REQUESTS][2];
	struct ipmu_request requests[REQUESTS];
	int n, runs[COUNTERS];	/* runs: 2 * request + choice that the counter serves; -1: none */
	unsigned seed;
} puzzle;

static unsigned chance(unsigned n)
{
	return (unsigned)rand_r(&puzzle.seed) % n;
}

/* A select that no other choice has, and values for none, one or both of the registers. */
static struct ipmu_choice random_choice(unsigned select)
{
	static const uint64_t masks[] = { 0xF0, 0xFF, 0x3F, 0x0F };
	struct ipmu_choice c = { .select = select,
				 .counters = 1 + chance((1u << puzzle.type.counters) - 1) };

	for (int r = 0; r < REGISTERS; r++)
		if (chance(3) == 0) {
			uint64_t mask = masks[chance(4)];

			c.extra[c.nextra++] = (struct ipmu_extra_reg){
				&registers[r], 0, mask, 0x11 * (1 + chance(2)) & mask };
		}
	return c;
}

static bool agree(const struct ipmu_choice *a, const struct ipmu_choice *b)
{
	for (int i = 0; i < a->nextra * b->nextra; i++) {
		const struct ipmu_extra_reg *x = &a->extra[i % a->nextra];
		const struct ipmu_extra_reg *y = &b->extra[i / a->nextra];

		if (x->reg == y->reg && ((x->value ^ y->value) & x->mask & y->mask))
			return false;
	}
	return true;
}

static bool agrees_with_running(const struct ipmu_choice *choice)
{
	for (int c = 0; c < puzzle.type.counters; c++)
		if (puzzle.box.slots[c].programmed && !agree(choice, &puzzle.box.slots[c].choice))
			return false;
	return true;
}

/* A counter that runs here or elsewhere, often for what is requested, or nearly so. */
static void run(int c)
{
	struct ipmu_slot *slot = &puzzle.box.slots[c];
	unsigned of = chance(2 * (unsigned)puzzle.n), how = chance(8);
	struct ipmu_choice choice = puzzle.choices[of / 2][of % 2];

	switch (how) {
	case 0: choice = random_choice(99); break;
	case 1: choice.select ^= 0x100; break;
	case 2: choice.counters ^= 0x100; break;
	case 3: choice.direction = 1; break;
	case 4: choice.extra[0].mask ^= 0x100; break;
	case 5: choice.extra[0].value ^= 0x100; break;
	case 6: slot->companion = true; break;
	default: break;
	}
	if (!agrees_with_running(&choice))
		return;
	slot->choice = choice;
	slot->programmed = true;
	slot->users = (int)chance(2);
	puzzle.box.foreign |= slot->users ? 0 : 1u << c;
	if (how == 7 || (!choice.nextra && (how == 4 || how == 5)))
		puzzle.runs[c] = (int)of;
}

static void make_puzzle(unsigned seed)
{
	static const char *const names[REQUESTS] = { "e0", "e1", "e2", "e3", "e4", "e5" };

	memset(&puzzle, 0, sizeof(puzzle));
	puzzle.seed = seed;
	puzzle.type = type_of(1 + (int)chance(COUNTERS));
	puzzle.box.type = &puzzle.type;
	puzzle.n = 1 + (int)chance((unsigned)puzzle.type.counters);
	for (unsigned i = 0; i < (unsigned)puzzle.n; i++) {
		puzzle.choices[i][0] = random_choice(2 * i + 1);
		puzzle.choices[i][1] = random_choice(2 * i + 2);
		puzzle.requests[i] = request_of(puzzle.choices[i], 1 + (int)chance(2), names[i]);
	}
	for (int c = 0; c < COUNTERS; c++)
		puzzle.runs[c] = -1;
	for (int c = 0; c < puzzle.type.counters && seed % 3; c++)
		if (chance(3) == 0)
			run(c);
	puzzle.box.elsewhere = seed % 3 && chance(8) == 0;
}

/* Can these requests be counted at once? Tries all ways; `with`: choices of those before.
 * `boundless`: a request that needs no counter, or -1. */
static bool possible(int request, int n, int boundless, uint64_t taken,
		     const struct ipmu_choice **with)
{
	for (int k = 0; request < n && k < puzzle.requests[request].nchoices; k++) {
		const struct ipmu_choice *choice = &puzzle.choices[request][k];
		bool fits = agrees_with_running(choice);

		for (int w = 0; w < request; w++)
			fits = fits && agree(choice, with[w]);
		with[request] = choice;
		for (int c = 0; c < puzzle.type.counters && fits; c++) {
			const struct ipmu_slot *slot = &puzzle.box.slots[c];
			bool free = !puzzle.box.elsewhere && !slot->programmed &&
				    (choice->counters & ~taken & (1ull << c));

			if ((free || puzzle.runs[c] == 2 * request + k || request == boundless) &&
			    possible(request + 1, n, boundless, free ? taken | 1ull << c : taken,
				     with))
				return true;
		}
	}
	return request == n;
}

static void check_solution(void)
{
	uint64_t taken = 0;

	for (int i = 0; i < puzzle.n; i++) {
		const struct ipmu_request *r = &puzzle.requests[i];
		const struct ipmu_choice *choice = &puzzle.choices[i][r->choice];
		uint64_t bit = 1ull << r->ctr;

		assert_int_equal(r->companion, -1);
		assert_true(agrees_with_running(choice));
		for (int k = 0; k < i; k++)
			assert_true(agree(choice, &puzzle.choices[k][puzzle.requests[k].choice]));
		if (puzzle.runs[r->ctr] == 2 * i + r->choice)
			continue;
		assert_true(!puzzle.box.elsewhere && !puzzle.box.slots[r->ctr].programmed);
		assert_true((choice->counters & bit) && !(taken & bit));
		taken |= bit;
	}
}

/* The loser is the first request that cannot be counted with all before it. A register is to blame
 * if no counter of its own would help. */
static void check_refusal(int loser, const char *why)
{
	const struct ipmu_choice *with[REQUESTS];
	uint64_t all = (1ull << puzzle.type.counters) - 1, can;
	char text[128];

	assert_true(possible(0, loser, -1, 0, with));
	assert_false(possible(0, loser + 1, -1, 0, with));
	snprintf(text, sizeof(text), "e%d collides with ", loser);
	assert_ptr_equal(strstr(why, text), why);
	if (!possible(0, loser + 1, loser, 0, with)) {
		assert_non_null(strstr(why, "they need different values in"));
		return;
	}
	can = puzzle.choices[loser][0].counters;
	if (puzzle.requests[loser].nchoices == 2)
		can |= puzzle.choices[loser][1].counters;
	snprintf(text, sizeof(text), ": box box 9 has %d counter%s, %d of which can count it: ",
		 puzzle.type.counters, puzzle.type.counters == 1 ? "" : "s",
		 __builtin_popcountll(can & all));
	assert_non_null(strstr(why, text));
}

static void finds_a_solution_whenever_there_is_one(void **state)
{
	int solved = 0, refused = 0;

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		const struct ipmu_choice *with[REQUESTS];
		char why[IPMU_WHY_MAX] = "";
		int loser = -1, rc;

		make_puzzle(round);
		rc = ipmu_assign(round % 3 ? &puzzle.box : NULL, &puzzle.type, puzzle.type.counters,
				 9, puzzle.requests, puzzle.n, &loser, why);
		if (possible(0, puzzle.n, -1, 0, with)) {
			assert_int_equal(rc, 0);
			check_solution();
			solved++;
		} else {
			assert_int_equal(rc, -ENOSPC);
			check_refusal(loser, why);
			refused++;
		}
	}
	assert_true(solved > 5000 && refused > 5000);
}

static void names_the_events_that_collide(void **state)
{
	struct ipmu_pmu_type type = type_of(2);
	struct ipmu_choice choices[] = {
		{ .select = 1, .counters = 3 }, { .select = 2, .counters = 3 },
		{ .select = 3, .counters = 3 },
	};
	struct ipmu_request requests[] = {
		request_of(&choices[0], 1, "first"),
		request_of(&choices[1], 1, "second"),
		request_of(&choices[2], 1, "third"),
	};
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	assert_int_equal(ipmu_assign(NULL, &type, type.counters, 4, requests, 3, NULL, why),
			 -ENOSPC);
	assert_non_null(strstr(why, "third collides with"));
	assert_non_null(strstr(why, "first"));
	assert_non_null(strstr(why, "second"));
	assert_non_null(strstr(why, "box 4"));
}

static void running_counters_stay_where_they_are(void **state)
{
	static struct ipmu_box box;
	struct ipmu_pmu_type type = type_of(2);
	struct ipmu_choice seven = { .select = 7, .counters = 3 };
	struct ipmu_choice eight = { .select = 8, .counters = 3 };
	struct ipmu_choice nine = { .select = 9, .counters = 1 };
	struct ipmu_request same = request_of(&seven, 1, "same");
	struct ipmu_request other = request_of(&eight, 1, "other");
	struct ipmu_request only0 = request_of(&nine, 1, "only0");
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	box.type = &type;
	box.slots[0] = (struct ipmu_slot){ .programmed = true, .users = 1, .choice = seven,
					   .event = "running" };
	assert_int_equal(ipmu_assign(&box, &type, type.counters, 0, &same, 1, NULL, why), 0);
	assert_int_equal(same.ctr, 0);
	assert_int_equal(ipmu_assign(&box, &type, type.counters, 0, &other, 1, NULL, why), 0);
	assert_int_equal(other.ctr, 1);
	assert_int_equal(ipmu_assign(&box, &type, type.counters, 0, &only0, 1, NULL, why), -ENOSPC);
	assert_non_null(strstr(why, "running"));
}

/* Two ways to count, each on counters of its own, through registers that are shared. */
static void shared_registers_agree_or_are_refused(void **state)
{
	static const struct ipmu_reg shared = { .name = "SHARED" }, pair = { .name = "PAIR" };
	struct ipmu_pmu_type type = type_of(6);
	struct ipmu_choice a[2] = {
		{ .counters = 7, .nextra = 1, .extra = { { &shared, 0, 0xF0, 0x10 } } },
		{ .counters = 0x38, .nextra = 1, .extra = { { &pair, 0, 0xF0, 0x10 } } },
	};
	struct ipmu_choice b[2], c[2];
	struct ipmu_request requests[3];
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	memcpy(b, a, sizeof(b));
	memcpy(c, a, sizeof(c));
	b[0].extra[0].value = b[1].extra[0].value = 0x20;
	c[0].extra[0].value = c[1].extra[0].value = 0x40;
	requests[0] = request_of(a, 2, "a");
	requests[1] = request_of(b, 2, "b");
	requests[2] = request_of(c, 2, "c");
	/* the second goes to the other register, for the third there is none left */
	assert_int_equal(ipmu_assign(NULL, &type, type.counters, 1, requests, 2, NULL, why), 0);
	assert_int_not_equal(requests[0].choice, requests[1].choice);
	assert_int_equal(ipmu_assign(NULL, &type, type.counters, 1, requests, 3, NULL, why),
			 -ENOSPC);
	assert_non_null(strstr(why, "c collides with"));
	assert_non_null(strstr(why, "PAIR"));
	/* values of other bits of the register do not matter */
	c[0].extra[0] = (struct ipmu_extra_reg){ &shared, 0, 0x0F, 0x01 };
	assert_int_equal(ipmu_assign(NULL, &type, type.counters, 1, requests, 3, NULL, why), 0);
}

static void companions_take_a_counter(void **state)
{
	struct ipmu_pmu_type type = type_of(3);
	struct ipmu_choice tag = { .counters = 1, .select = 1, .companions = 6 };
	struct ipmu_choice plain = { .counters = 2, .select = 2 };
	struct ipmu_choice third = { .counters = 4, .select = 3 };
	struct ipmu_request requests[] = { request_of(&tag, 1, "tag"),
					   request_of(&plain, 1, "plain"),
					   request_of(&third, 1, "third") };
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	assert_int_equal(ipmu_assign(NULL, &type, type.counters, 0, requests, 2, NULL, why), 0);
	assert_int_equal(requests[0].companion, 2);
	assert_int_equal(requests[1].ctr, 1);
	assert_int_equal(ipmu_assign(NULL, &type, type.counters, 0, requests, 3, NULL, why),
			 -ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_a_solution_whenever_there_is_one),
		cmocka_unit_test(names_the_events_that_collide),
		cmocka_unit_test(running_counters_stay_where_they_are),
		cmocka_unit_test(shared_registers_agree_or_are_refused),
		cmocka_unit_test(companions_take_a_counter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
