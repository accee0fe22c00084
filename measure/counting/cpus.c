/* SPDX-License-Identifier: MIT */
#include "cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* SDM volume 2, CPUID: leaf 07H has the bit of hybrids, leaf 1AH the kind of core. */
char cpus_kind(int cpu)
{
	uint32_t seven[4], kind[4] = { 0 };
	char path[64];
	bool hybrid;
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%d/cpuid", cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	hybrid = pread(fd, seven, sizeof(seven), 7) == sizeof(seven) && seven[3] >> 15 & 1 &&
		 pread(fd, kind, sizeof(kind), 0x1a) == sizeof(kind);
	close(fd);
	return !hybrid ? 0 : kind[0] >> 24 == 0x40 ? 'P' : kind[0] >> 24 == 0x20 ? 'E' : 0;
}

bool cpus_cover(const struct cpus *all, const struct cpus *some)
{
	for (size_t i = 0; i < WORDS; i++)
		if (some->bits[i] & ~all->bits[i])
			return false;
	return true;
}
