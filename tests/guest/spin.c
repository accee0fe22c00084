/* SPDX-License-Identifier: MIT */
/* spin N: N times two instructions, one of them a branch. Linked statically. */
#include <stdlib.h>

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1;

	__asm__ volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(rounds));
	return 0;
}
