/* SPDX-License-Identifier: MIT */
/* Processes that share a package whose registers are behind msr-safe: the library then accesses
 * them in batches, and saves them ahead. random_peers.h says what must hold. */
#include "random_peers.h"

#include "on_machine.h"
#include "peer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define FIXED_CTRL 0x394
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

static bool refuses;

/* The batch device refuses whole batches with a write that its allowlist does not have. */
int __real_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
	struct op { uint16_t cpu, is_read; int32_t err; uint32_t msr, pad; uint64_t data, mask; };
	const struct { uint32_t n, version; struct op *ops; } *batch = argument;

	for (uint32_t i = 0; refuses && i < batch->n; i++)
		if (batch->ops[i].msr == FIXED_CTRL && !batch->ops[i].is_read) {
			batch->ops[i].err = -EACCES;
			errno = EACCES;
			return -1;
		}
	return __real_ioctl(fd, request, argument);
}

/* A refused batch writes nothing, and the journal must not say that it has. Other processes change
 * the journal, so that it is read again; `stays`: one of them still counts then. */
static void start_refused(const struct engine_fixture *f, bool stays)
{
	static const char *const events[] = {
		"skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=0", "skl_unc_clk.UNC_CLOCK",
	};
	static const char *const requests[] = { "skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL" };
	static const char *const others[] = {
		"skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I:box=1", NULL,
	};
	struct ipmu_session *holds = engine_fixture_started(f, requests, 1);
	struct ipmu_session *fails = engine_fixture_session(f, events, 2);
	struct peer p = peer_new(f, IPMU_SCOPE_PACKAGE);
	uint64_t n = 0;

	refuses = true;
	assert_int_equal(ipmu_session_start(fails, NULL), -EACCES);
	refuses = false;
	assert_int_equal(peer_do(&p, PEER_START, others).rc, 0);
	if (!stays)
		assert_int_equal(peer_do(&p, PEER_CLOSE, NULL).rc, 0);
	ipmu_session_free(fails);
	fails = engine_fixture_started(f, events, 1);
	engine_fixture_misses(f, 0, 5);
	engine_fixture_end(fails, &n);
	assert_int_equal(n, 5);
	engine_fixture_end(holds, NULL);
	assert_int_equal(peer_do(&p, PEER_CLOSE, NULL).rc, 0);
	peer_kill(&p);
}

static void a_refused_start_leaves_no_trace(void **state)
{
	start_refused(*state, false);
	start_refused(*state, true);
}

static void whatever_the_order(void **state)
{
	random_peers_play_seed(*state, SEED, STEPS);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_free_running_set_beside_others),
		cmocka_unit_test(a_refused_start_leaves_no_trace),
		cmocka_unit_test(whatever_the_order),
	};

	(void)argc;
	not_under_tsan("the thread sanitizer ends a forked process that makes threads");
	on_safe_machine(argv, "skl-4c8t", "skylake-client");
	return cmocka_run_group_tests(tests, random_peers_open, engine_fixture_close);
}
