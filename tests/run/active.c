/* SPDX-License-Identifier: MIT */
/* active sleep|loop: thread 0 loops on CPU 0 for 3,000,000 rounds of two instructions. Meanwhile a
 * thread on CPU 1 waits in a futex, or loops until thread 0 has ended its loop. Thread 0 begins
 * once the other thread surely does so. */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 3000000ull

static _Atomic uint32_t word, other, rounds, done;
static int loops;

static void bind(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void loop(uint64_t n)
{
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
}

static void *second(void *unused)
{
	bind(1);
	while (loops && !done) {
		loop(1000);
		rounds++;
	}
	while (!loops && !done)
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
	return unused;
}

/* A thread that moves from one futex to another waits. */
static int is_ready(void)
{
	if (loops)
		return rounds > 1;
	return syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE, 0, 1, &other, 0) == 1;
}

int main(int argc, char **argv)
{
	const struct timespec pause = { 0, 1000000 };
	pthread_t thread;

	loops = argc > 1 && !strcmp(argv[1], "loop");
	bind(0);
	pthread_create(&thread, NULL, second, NULL);
	while (!is_ready())
		nanosleep(&pause, NULL);
	loop(ROUNDS);
	done = 1;
	syscall(SYS_futex, &other, FUTEX_WAKE, 1, NULL, NULL, 0);
	pthread_join(thread, NULL);
	return 0;
}
