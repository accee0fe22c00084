/* SPDX-License-Identifier: MIT */
/* Random orders of what processes that share a package can do and meet; random_peers.h says what
 * must hold. PEERS_SEED=N plays that one alone, PEERS_STEPS=N more or fewer steps than 1,500. */
#include "random_peers.h"

#include "on_machine.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/time.h>

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

static void on_alarm(int number)
{
	(void)number;
}

/* A fuzzer's timer interrupts the game's system calls. */
static void beside_a_timer(void **state)
{
	const struct sigaction interrupts = { .sa_handler = on_alarm };
	const struct itimerval often = { .it_interval.tv_usec = 2000, .it_value.tv_usec = 2000 };
	const struct itimerval never = { .it_value.tv_usec = 0 };

	assert_int_equal(sigaction(SIGALRM, &interrupts, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
	random_peers_play_seed(*state, 1, 100);
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_the_order), cmocka_unit_test(beside_a_timer),
	};

	(void)argc;
	not_under_tsan("the thread sanitizer ends a forked process that makes threads");
	on_machine(argv, "skl-4c8t");
	return cmocka_run_group_tests(tests, random_peers_open, engine_fixture_close);
}
