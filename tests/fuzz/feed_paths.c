/* SPDX-License-Identifier: MIT */
/* The input is a program for the feed on one of some small machines: which blocks are executed with
 * which registers, and when threads change. The fast paths and the general one leave the same.
 * The clocks of these machines do not estimate time: costs of loops, once computed, stay. */
#include "fuzz.h"
#include "../feed/both_paths.h"

#define MACHINES 16u
#define STEPS 8u
#define BYTES_MAX (48 * 1024)
#define CPUS_MAX 3u

/* The blocks, and a machine with its segment. */
static struct random_blocks blocks;
static struct { struct both_machine m; struct vpmu_segment *s; } machines[MACHINES];
static struct both_outcome outcome[WAYS];

static void make_machine(uint32_t i, struct draws *d)
{
	do
		machines[i].m = some_machine(d, false, true);
	while (vpmu_caches_bytes(&machines[i].m.shape) > BYTES_MAX ||
	       vpmu_machine_cpus(&machines[i].m.shape) > CPUS_MAX);
	machines[i].m.rounds = 20;
	machines[i].s = segment_of(&machines[i].m.shape);
}

static void begin(void)
{
	struct draws d = { .x = 88172645463325252u };

	for (uint32_t i = 0; i < MACHINES; i++)
		make_machine(i, &d);
	segment = machines[0].s;
	forget_producers();
	REQUIRE(make_blocks(&blocks, &d, 0x400000, true));
	for (int way = FAST; way < WAYS; way++) {
		outcome[way].caches = malloc(BYTES_MAX);
		REQUIRE(outcome[way].caches);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t i = fuzz_byte(&data, &size) % MACHINES;
	const char *differs;

	if (!segment)
		begin();
	segment = machines[i].s;
	REQUIRE(open_machine(FAST));
	for (int way = FAST; way < WAYS; way++)
		run_both_way(&machines[i].m, &blocks, (struct draws){ 0, data, size }, STEPS, way,
			     &outcome[way]);
	differs = both_difference(&outcome[FAST], &outcome[GENERAL]);
	if (differs)
		fprintf(stderr, "%s\n", differs);
	REQUIRE(!differs);
	return 0;
}
