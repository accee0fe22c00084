// SPDX-License-Identifier: MIT
/* Tries the host's PMU by the kernel and by RDPMC. */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static void refused(int number)
{
	(void)number;
	puts(" rdpmc is refused");
	fflush(stdout);
	_exit(0);
}
int main(void)
{
	struct perf_event_attr clock = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(clock),
					 .exclude_kernel = 1 };
	unsigned int low, high;
	long fd = syscall(SYS_perf_event_open, &clock, 0, -1, -1, 0UL);

	printf("%ld %d", fd, errno == ENOENT);
	fflush(stdout);
	signal(SIGSEGV, refused);
	signal(SIGILL, refused);
	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(0));
	return 1;
}
