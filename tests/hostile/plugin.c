// SPDX-License-Identifier: MIT
/* A plugin of hwloc's that reports that it runs. */
#include <stdio.h>

__attribute__((constructor)) static void mine(void)
{
	puts("my code runs");
}

int hwloc_mine_component;
