// SPDX-License-Identifier: MIT
/* Prints the CPU's vendor, family and model by CPUID. */
#include <cpuid.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
	unsigned int r[4], family;
	char vendor[13] = "";

	__cpuid(0, r[0], r[1], r[2], r[3]);
	memcpy(vendor, &r[1], 4);
	memcpy(vendor + 4, &r[3], 4);
	memcpy(vendor + 8, &r[2], 4);
	__cpuid(1, r[0], r[1], r[2], r[3]);
	family = r[0] >> 8 & 15;
	printf("%s %u %u hypervisor %u\n", vendor, family,
	       (r[0] >> 4 & 15) | (family == 6 ? r[0] >> 12 & 0xf0 : 0), r[2] >> 31);
	return 0;
}
