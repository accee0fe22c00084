// SPDX-License-Identifier: MIT
/* Reads 100000 lines, or 200000 with an argument. */
#include <stdlib.h>
static volatile char *a;
__attribute__((noinline)) static void reads(long from)
{
    for (long i = 0; i < 100000; i++) (void)a[64 * (from + i)];
}
int main(int argc, char **argv)
{
    (void)argv;
    a = calloc(200001, 64);	/* the first line has the allocator's header */
    reads(1);
    if (argc > 1) reads(100001);
    return 0;
}
