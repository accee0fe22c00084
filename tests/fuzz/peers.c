/* SPDX-License-Identifier: MIT */
/* Orders of what processes that share a package can do and meet; tests/support/random_peers.h says
 * what must hold. `run` starts this target on a virtual machine. */
#include "fuzz.h"

#include "tests/support/random_peers.h"

#include "forks.h"

#define STEPS_MAX 400

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void *fixture;

	if (!fixture) {
		forks_wait_for_threads();
		REQUIRE(getenv("VPMU_SEGMENT") && !random_peers_open(&fixture));
	}
	random_peers_play(fixture, data, size < 3 * STEPS_MAX ? size : 3 * STEPS_MAX);
	return 0;
}
