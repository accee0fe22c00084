/* SPDX-License-Identifier: MIT */
/* Variables of launchers, of any text. Each entry of the input is a number of a variable, as one
 * byte, and its value up to a NUL. */
#include "fuzz.h"
#include "launched.h"
#include "launchers.h"

static const char *const variables[] = {
	LAUNCHER_RANKS, LAUNCHER_SIZES, LAUNCHER_LOCAL_SIZES, LAUNCHER_JOBS, LAUNCHER_SLURM_JOB,
	LAUNCHER_SLURM_STEP,
};
#define VARIABLES (sizeof(variables) / sizeof(variables[0]))

static void set(const uint8_t **data, size_t *size)
{
	const char *name = variables[fuzz_byte(data, size) % VARIABLES];
	size_t n = strnlen((const char *)*data, *size);
	char value[256];

	snprintf(value, sizeof(value), "%.*s", (int)n, (const char *)*data);
	REQUIRE(setenv(name, value, 1) == 0);
	n += n < *size;
	*data += n;
	*size -= n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct launched l = { .rank = -7 };

	for (size_t i = 0; i < VARIABLES; i++)
		unsetenv(variables[i]);
	while (size)
		set(&data, &size);
	if (!launched_as(&l)) {
		REQUIRE(l.rank == -7);
		return 0;
	}
	REQUIRE(l.rank >= 0 && l.rank < l.size && l.local_size >= -1);
	/* The job's name becomes a part of names of files. */
	REQUIRE(strlen(l.job) < sizeof(l.job) && !strpbrk(l.job, "/ "));
	return 0;
}
