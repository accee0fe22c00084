/* SPDX-License-Identifier: MIT */
/* Which CPUs a process may use. */
#ifndef IPMU_RUN_CPUS_H
#define IPMU_RUN_CPUS_H

#include <stdbool.h>

#define CPUS_MAX 4096

struct cpus {
	unsigned long bits[CPUS_MAX / (8 * sizeof(long))];
};

/* Get or set the calling process's CPUs. 0 or a negative errno. */
int cpus_get(struct cpus *out);
int cpus_set(const struct cpus *c);
bool cpus_has(const struct cpus *c, int cpu);
void cpus_join(struct cpus *to, const struct cpus *more);
/* 'P' or 'E' on a hybrid processor, as CPUID of that CPU has it; 0: another one, or it may not be
 * read. */
char cpus_kind(int cpu);
bool cpus_cover(const struct cpus *all, const struct cpus *some);

#endif
