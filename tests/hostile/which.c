// SPDX-License-Identifier: MIT
/* Prints what the library takes from its environment: the state directory, the machine, PMUs. */
#include "ipmu.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

extern bool ipmu_state_none(void);

int main(void)
{
	struct ipmu_topology *t = NULL;
	char why[IPMU_WHY_MAX] = "";

	if (ipmu_topology_load(&t, why) || ipmu_names_open(why))
		puts(why);
	printf("secure %lu, state %d, %s, %s\n", getauxval(AT_SECURE), ipmu_state_none(),
	       t ? t->cpu_model : "no machine",
	       getenv("LIBPFM_FORCE_PMU") ? "forced" : "not forced");
	return 0;
}
