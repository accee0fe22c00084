/* SPDX-License-Identifier: MIT */
/* work reads KIB    reads KIB KiB that nobody has touched, one word a line
 * work splits N     makes N loads across a line's end, with four instructions each */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	size_t n = argc > 2 ? (size_t)atol(argv[2]) : 0;
	_Alignas(64) static volatile char data[128];
	volatile char *fresh;
	long sum = 0, value;

	if (!n)
		return 2;
	if (!strcmp(argv[1], "reads")) {
		fresh = mmap(NULL, n << 10, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (fresh == MAP_FAILED)
			return 1;
		for (size_t i = 0; i < n << 10; i += 64)
			sum += fresh[i];
	}
	if (!strcmp(argv[1], "splits"))
		while (n--) {
			__asm__ volatile("movq (%1), %0" : "=r"(value) : "r"(data + 64 - 3));
			sum += value;
		}
	return sum != 0;
}
