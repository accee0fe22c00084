/* SPDX-License-Identifier: MIT */
/* Lines that one core has and another reads. On CPU 0 the program reads some lines, then others
 * until the L2 drops the first, and at last writes some and reads some. Then it moves to another
 * core, of CPU 1 or the one that is named, and reads the first, the written and the last. */
#include <sched.h>
#include <stdlib.h>

#define LINES 14336
#define L2_LINES 16384	/* of the machine that runs it */

struct line { volatile long word[8]; };
static struct line dropped[LINES] __attribute__((aligned(4096)));
static struct line other[L2_LINES] __attribute__((aligned(4096)));
static struct line written[LINES / 2] __attribute__((aligned(4096)));
static struct line loaded[LINES / 2] __attribute__((aligned(4096)));

static void bind_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(1);
}

static void read_all(const struct line *lines, int n)
{
	for (int i = 0; i < n; i++)
		(void)lines[i].word[0];
}

int main(int argc, char **argv)
{
	bind_to(0);
	read_all(dropped, LINES);
	read_all(other, L2_LINES);
	for (int i = 0; i < LINES / 2; i++)
		written[i].word[0] = i;
	read_all(loaded, LINES / 2);

	bind_to(argc > 1 ? atoi(argv[1]) : 1);
	read_all(dropped, LINES);
	read_all(written, LINES / 2);
	read_all(loaded, LINES / 2);
	return 0;
}
