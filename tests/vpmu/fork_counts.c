// SPDX-License-Identifier: MIT
/* Counts lines read from memory through PAPI in a process and in its child, which reads 16 MiB. */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (16u << 20)

static volatile char *memory;

static int begin(void)
{
	int set = PAPI_NULL;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&set) ||
	    PAPI_add_named_event(set, "intel_uncore:::skl_unc_imc.DRAM_DATA_READS") ||
	    PAPI_start(set))
		exit(2);
	return set;
}

int main(void)
{
	long long lines = -1;
	int status, set;

	memory = malloc(BYTES);
	set = begin();
	if (!fork()) {
		set = begin();
		for (size_t i = 0; i < BYTES; i += 64)
			memory[i]++;
		if (PAPI_stop(set, &lines))
			_exit(3);
		printf("%lld\n", lines);
		fflush(stdout);
		_exit(0);
	}
	wait(&status);
	if (PAPI_stop(set, &lines))
		return 4;
	return status != 0;
}
