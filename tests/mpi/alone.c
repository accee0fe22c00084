// SPDX-License-Identifier: MIT
/* alone FILE...: starts counting and, for each FILE, makes it and waits until it is gone. */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "work.h"

static long long count(char **files)
{
	long long value = -1;
	int set = PAPI_NULL;
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
	    PAPI_create_eventset(&set) || PAPI_add_named_event(set,
	    "intel_uncore:::skl_unc_clk.UNC_CLOCK:SOCKET") || PAPI_start(set))
		return -2;
	for (; *files; files++) {
		fclose(fopen(*files, "w"));
		for (int i = 0; i < 10000 && !access(*files, F_OK); i++)
			usleep(10000);
	}
	work_elsewhere(0, "reads", 64);
	PAPI_stop(set, &value);
	return value;
}

int main(int argc, char **argv)
{
	long long mine = count(argv + 1);
	printf("%s\n", mine > 0 ? "counts" : mine ? "fails" : "zero");
	fflush(stdout);
	if (argc > 1 && fork() == 0) {
		PAPI_shutdown();
		mine = count(argv + argc);
		printf("child %s\n", mine > 0 ? "counts" : mine ? "fails" : "zero");
		exit(0);
	}
	wait(NULL);
	return 0;
}
