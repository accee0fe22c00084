// SPDX-License-Identifier: MIT
/* Prints OpenMP's places, and where four threads run. */
#include <omp.h>
#include <sched.h>
#include <stdio.h>

int main(void)
{
	int cpu[4], ids[64];

	for (int i = 0; i < omp_get_num_places(); i++) {
		omp_get_place_proc_ids(i, ids);
		for (int j = 0; j < omp_get_place_num_procs(i); j++)
			printf("%s%d", j ? "," : i ? " " : "", ids[j]);
	}
	#pragma omp parallel num_threads(4)
	cpu[omp_get_thread_num()] = sched_getcpu();
	printf("; %d %d %d %d\n", cpu[0], cpu[1], cpu[2], cpu[3]);
	return 0;
}
