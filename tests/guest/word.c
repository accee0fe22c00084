// SPDX-License-Identifier: MIT
/* Prints a register of CPU 0, and how many bytes were read. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	unsigned long long value = 0;
	int fd = open("/dev/cpu/0/msr", O_RDONLY);
	int bytes = (int)pread(fd, &value, 8, 0x396);

	printf("%d %llu\n", bytes, value);
	return 0;
}
