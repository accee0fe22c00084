// SPDX-License-Identifier: MIT
/* Loads across lines before MPI_Init, 200000 times after it, and after MPI_Finalize. */
#include <mpi.h>

static void split(long n)
{
	static volatile char data[128] __attribute__((aligned(64)));
	long value;
	while (n--)
		__asm__ volatile("movq (%1), %0" : "=r"(value) : "r"(data + 64 - 3));
}

int main(int argc, char **argv)
{
	split(500000);
	MPI_Init(&argc, &argv);
	split(200000);
	MPI_Finalize();
	split(500000);
}
