// SPDX-License-Identifier: MIT
/* A library that says which program it is in, and whether that is on the machine. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

__attribute__((constructor)) static void tell(void)
{
	FILE *cpus = fopen("/proc/cpuinfo", "r");
	char line[256];

	while (fgets(line, sizeof(line), cpus) && strncmp(line, "model name", 10))
		;
	fclose(cpus);
	printf("%s on %s\n", program_invocation_short_name,
	       strstr(line, "VirtualPMU") ? "the machine" : "the host");
}
