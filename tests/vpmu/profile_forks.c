// SPDX-License-Identifier: MIT
/* Works before a fork, and in parent and child after it; the child is killed. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long sum;
__attribute__((noinline)) static void work(long n) { for (long i = 0; i < n; i++) sum += i; }
int main(void)
{
	char *block = malloc(100000);
	work(1000);
	if (!fork()) {
		work(3000);
		for (int i = 0; i < 100000; i += 64)
			block[i] = 1;
		raise(SIGKILL);
	}
	wait(0);
	work(500);
	return 0;
}
