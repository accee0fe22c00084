// SPDX-License-Identifier: MIT
/* Executes an instruction that some processors lack, with a handler or without:
 * lacks KIND [WAY]. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static sigjmp_buf back;
static const char *way = "";
static void handle(int number)
{
	if (!strcmp(way, "continues"))
		siglongjmp(back, 1);
	if (!strcmp(way, "aborts"))
		abort();
	if (!strcmp(way, "exits"))
		_Exit(number);
	if (!strcmp(way, "succeeds"))
		_Exit(0);
	signal(number, SIG_DFL);	/* raises */
	raise(number);
}

static void needs_avx(void) { __asm__ volatile("vxorps %%ymm0, %%ymm0, %%ymm0" ::: "xmm0"); }
static void needs_fma(void) { __asm__ volatile("vfmadd231pd %%ymm0, %%ymm0, %%ymm0" ::: "xmm0"); }
static void needs_avx512(void)
{
	__asm__ volatile(".byte 0x62,0xf1,0x7d,0x48,0xef,0xc0" ::: "xmm0");
}
static void needs_movbe(void)
{
	long x = 1, y;
	__asm__ volatile("movbe %1, %0" : "=r"(y) : "m"(x));
}
static void needs_nothing(void) { __asm__ volatile("ud2"); }
int main(int argc, char **argv)
{
	if (argc > 2) {
		way = argv[2];
		signal(SIGILL, strcmp(way, "default") ? handle : SIG_DFL);
	}
	if (sigsetjmp(back, 1))
		return 3;
	switch (argv[1][0]) {
	case 'a': needs_avx(); break;
	case 'f': needs_fma(); break;
	case 'm': needs_movbe(); break;
	case 'u': needs_nothing(); break;
	default: needs_avx512();
	}
	return 0;
}
