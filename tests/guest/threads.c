/* SPDX-License-Identifier: MIT */
/* threads add THREADS ROUNDS: each thread, on a CPU of its own, increments the same word ROUNDS
 * times, without a lock: by an instruction that reads, adds and writes. Prints the word.
 *
 * threads hand ROUNDS EVENT...: two threads, on CPUs of different cores, hand a word back and forth
 * ROUNDS times; each waits for it in a loop of PAUSEs. Prints "EVENT COUNT" lines; kernel_event.h
 * has the form of events. */
#include "kernel_event.h"

#include <pthread.h>

#define THREADS_MAX 64
#define EVENTS_MAX 16

/* In a line of its own. */
static volatile struct { long word; char pad[120]; } shared __attribute__((aligned(128)));
static volatile long began;
static long threads, rounds;

static void run_on(long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		kernel_failed("sched_setaffinity", "a CPU");
}

/* All threads begin at once. */
static void begin(long cpu)
{
	run_on(cpu);
	__atomic_add_fetch(&began, 1, __ATOMIC_SEQ_CST);
	while (began < threads)
		sched_yield();
}

static void *add(void *cpu)
{
	begin((long)cpu);
	for (long i = 0; i < rounds; i++)
		__asm__ volatile("incq %0" : "+m"(shared.word));
	return NULL;
}

static void pass(long parity)
{
	for (long i = 0; i < rounds; i++) {
		while (shared.word % 2 != parity)
			__builtin_ia32_pause();
		shared.word++;
	}
}

static void *answer(void *cpu)
{
	begin((long)cpu);
	pass(1);
	return NULL;
}

static void start(pthread_t *thread, void *(*what)(void *), long cpu)
{
	errno = pthread_create(thread, NULL, what, (void *)cpu);
	if (errno)
		kernel_failed("pthread_create", "a thread");
}

static void do_add(void)
{
	pthread_t thread[THREADS_MAX];

	for (long i = 0; i < threads; i++)
		start(&thread[i], add, i);
	for (long i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	printf("%ld\n", shared.word);
}

static void all(const int *fds, int count, unsigned long request)
{
	for (int i = 0; i < count; i++)
		ioctl(fds[i], request, 0);
}

static void do_hand(char **events, int count)
{
	int fds[EVENTS_MAX];
	pthread_t other;

	for (int i = 0; i < count; i++)
		fds[i] = kernel_open(events[i]);
	threads = 2;
	start(&other, answer, sysconf(_SC_NPROCESSORS_ONLN) - 1);
	begin(0);
	all(fds, count, PERF_EVENT_IOC_ENABLE);
	pass(0);
	pthread_join(other, NULL);
	all(fds, count, PERF_EVENT_IOC_DISABLE);
	for (int i = 0; i < count; i++)
		printf("%s %llu\n", events[i], (unsigned long long)kernel_read(events[i], fds[i]));
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "add")) {
		threads = atol(argv[2]);
		rounds = atol(argv[3]);
		if (threads < 1 || threads > THREADS_MAX)
			return 2;
		do_add();
	} else if (argc > 3 && argc - 3 <= EVENTS_MAX && !strcmp(argv[1], "hand")) {
		rounds = atol(argv[2]);
		do_hand(argv + 3, argc - 3);
	} else {
		return 2;
	}
	return 0;
}
