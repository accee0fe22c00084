/* SPDX-License-Identifier: MIT */
/* Processes that share a package whose registers are behind msr-safe: the library then accesses
 * them in batches, and saves them ahead. random_peers.h says what must hold. */
#include "random_peers.h"

#include "on_machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SEED 5
#define STEPS 500

/* A free-running counter takes no right to write: its start leaves the journal alone. */
static void a_free_running_set_beside_others(void **state)
{
	static const uint8_t orders[] = {
		6, 0, 0,	/* a process has counted UNC_CBO_CACHE_LOOKUP:READ_I */
		10, 0, 1,
		6, 1, 6,	/* another one counts UNC_ARB_TRK_REQUESTS:WRITES and UNC_CLOCK */
		6, 0, 15,	/* the first one now counts DRAM_DATA_READS */
	};

	random_peers_play(*state, orders, sizeof(orders));
}

static void whatever_the_order(void **state)
{
	random_peers_play_seed(*state, SEED, STEPS);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_free_running_set_beside_others),
		cmocka_unit_test(whatever_the_order),
	};

	(void)argc;
	not_under_tsan("the thread sanitizer ends a forked process that makes threads");
	on_safe_machine(argv, "skl-4c8t", "skylake-client");
	return cmocka_run_group_tests(tests, random_peers_open, engine_fixture_close);
}
