/* SPDX-License-Identifier: MIT */
#include "cpus.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#define WORDS (sizeof(((struct cpus *)0)->bits) / sizeof(long))
#define WORD_BITS (8 * sizeof(long))

int cpus_get(struct cpus *out)
{
	*out = (struct cpus){ .bits = { 0 } };
	return sched_getaffinity(0, sizeof(out->bits), (cpu_set_t *)out->bits) ? -errno : 0;
}

int cpus_set(const struct cpus *c)
{
	return sched_setaffinity(0, sizeof(c->bits), (const cpu_set_t *)c->bits) ? -errno : 0;
}

bool cpus_has(const struct cpus *c, int cpu)
{
	return c->bits[(size_t)cpu / WORD_BITS] >> (size_t)cpu % WORD_BITS & 1;
}

void cpus_join(struct cpus *to, const struct cpus *more)
{
	for (size_t i = 0; i < WORDS; i++)
		to->bits[i] |= more->bits[i];
}

bool cpus_cover(const struct cpus *all, const struct cpus *some)
{
	for (size_t i = 0; i < WORDS; i++)
		if (some->bits[i] & ~all->bits[i])
			return false;
	return true;
}
