// SPDX-License-Identifier: MIT
/* Changes bytes at scattered places of the heap and the stack. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	char *large = malloc(1 << 19), text[6000];
	unsigned sum = 0, at = 1;

	(void)argc;
	for (int i = 0; i < 100000; i++) {
		at = at * 1664525 + 1013904223;
		large[at % (1 << 19)]++;
		text[at % sizeof(text)] = (char)i;
		sum += (unsigned char)text[(size_t)i % sizeof(text)];
	}
	printf("%u %c\n", sum, argv[0][0]);
	return 0;
}
