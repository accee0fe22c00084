/* SPDX-License-Identifier: MIT */
/* registers <LIST: lines "NAME ADDRESS"; prints each with what it holds, as CPU 0 has it. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	int fd = open("/dev/cpu/0/msr", O_RDONLY);
	unsigned int address;
	uint64_t value;
	char name[64];

	while (scanf("%63s %i", name, (int *)&address) == 2) {
		if (pread(fd, &value, sizeof(value), address) != sizeof(value)) {
			perror(name);
			return 1;
		}
		printf("%s\t0x%" PRIX64 "\n", name, value);
	}
	return 0;
}
