/* SPDX-License-Identifier: MIT */
/* Random orders of what processes that share a package can do and meet; random_peers.h says what
 * must hold. PEERS_SEED=N plays that one alone, PEERS_STEPS=N more or fewer steps than 1,500. */
#include "random_peers.h"

#include "on_machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define SEEDS 3

static unsigned long setting(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : otherwise;
}

static void whatever_the_order(void **state)
{
	unsigned long first = setting("PEERS_SEED", 0), last = first ? first : SEEDS;

	for (unsigned long seed = first ? first : 1; seed <= last; seed++)
		random_peers_play_seed(*state, seed, setting("PEERS_STEPS", 1500));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(whatever_the_order) };

	(void)argc;
	not_under_tsan("the thread sanitizer ends a forked process that makes threads");
	on_machine(argv, "skl-4c8t");
	return cmocka_run_group_tests(tests, random_peers_open, engine_fixture_close);
}
