/* SPDX-License-Identifier: MIT */
/* Values that are the same in each run of a program: options, and variables that stand for them
 * where an outer `vpmu run` or ipmu-run has started this one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/launchers.h"
#include "../../common/machine_device.h"
#include "tool.h"

#define SEED MACHINE_SEED_ENV
#define RANDOM "VPMU_RANDOM"
#define TIME "VPMU_TIME"

/* Outside of a job: -1. */
static long rank_in_job(void)
{
	static const char *const names[] = { LAUNCHER_RANKS };

	return vpmu_first_number(names, sizeof(names) / sizeof(names[0]));
}

static const char *value_of(const char *option, const char *name)
{
	const char *variable = getenv(name);

	return option ? option : variable && *variable ? variable : NULL;
}

static int parse_seed(const char *text, uint64_t *out)
{
	char *end;

	*out = 0;
	if (!text)
		return 0;
	errno = 0;
	*out = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno)
		return 0;
	vpmu_complain("--seed %s: a number from 0 to 18446744073709551615", text);
	return VPMU_EXIT_USAGE;
}

/* Without a word *is_other stays. */
static int parse_word(const char *option, const char *text, const char *usual, const char *other,
		      bool *is_other)
{
	if (!text)
		return 0;
	*is_other = !strcmp(text, other);
	if (*is_other || !strcmp(text, usual))
		return 0;
	vpmu_complain("%s %s: %s or %s", option, text, usual, other);
	return VPMU_EXIT_USAGE;
}

static void pass_on(const char *name, const char *value, bool feed)
{
	if (feed || !value)
		unsetenv(name);
	else
		setenv(name, value, 1);
}

int vpmu_fixed_parse(const struct vpmu_fixed_options *o, bool feed, struct vpmu_fixed *out)
{
	const char *seed = value_of(o->seed, SEED), *random = value_of(o->random, RANDOM);
	const char *time = value_of(o->time, TIME);
	int rc = parse_seed(seed, &out->seed);
	long rank = rank_in_job();

	out->host_random = false;
	/* Ranks may compare their time with that of other nodes. */
	out->model_time = rank < 0;
	if (!rc)
		rc = parse_word("--random", random, "fixed", "host", &out->host_random);
	if (!rc)
		rc = parse_word("--time", time, "host", "model", &out->model_time);
	if (rc)
		return rc;
	out->stream = vpmu_fixed_stream(out->seed, rank < 0 ? 1 : (uint64_t)rank + 1);
	pass_on(SEED, seed, feed);
	pass_on(RANDOM, random, feed);
	pass_on(TIME, time, feed);
	return 0;
}
