// SPDX-License-Identifier: MIT
/* Reads, and writes with a third argument, lines in a random order: load LINES [write]. */
#include <stdint.h>
#include <stdlib.h>

static volatile char bytes[64 << 20];
int main(int argc, char **argv)
{
	uint64_t x = 1;
	for (long i = argc > 1 ? atol(argv[1]) : 0; i; i--) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		(void)bytes[(x >> 33) % sizeof(bytes)];
		if (argc > 2)
			bytes[(x >> 33) % sizeof(bytes)] = 1;
	}
	return 0;
}
