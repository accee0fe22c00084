// SPDX-License-Identifier: MIT
/* Prints constants, and sizes and offsets of structures, that the Python module has, too. */
#include <ipmu.h>
#include <stddef.h>
#include <stdio.h>

int main(void)
{
	printf("%d %d %d %d\n", IPMU_WHY_MAX, IPMU_NAME_MAX, IPMU_SCOPE_PACKAGE, IPMU_SCOPE_CPU);
	printf("%zu %zu %zu\n", sizeof(struct ipmu_extra_reg), sizeof(struct ipmu_choice),
	       sizeof(struct ipmu_event));
	printf("%zu %zu %zu\n", offsetof(struct ipmu_event, choices),
	       offsetof(struct ipmu_event, name), offsetof(struct ipmu_event, units));
	return 0;
}
