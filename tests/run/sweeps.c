// SPDX-License-Identifier: MIT
/* Reads each line of BYTES bytes SWEEPS times: sweeps [ARGUMENT...] [STATUS]. */
#include <stdlib.h>

#ifndef BYTES
#define BYTES (1 << 20)
#endif

static volatile char a[BYTES] __attribute__((aligned(4096)));

int main(int argc, char **argv)
{
	for (int n = SWEEPS; n; n--)
		for (size_t i = 0; i < sizeof(a); i += 64)
			(void)a[i];
	return argc > 1 ? atoi(argv[argc - 1]) : 0;
}
