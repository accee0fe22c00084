// SPDX-License-Identifier: MIT
/* Four threads that meet in one of several ways: threads_repeat WAY. Its output is what they have
 * done. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#define THREADS 4
#define LINE 64

static atomic_ulong words[THREADS * 8];
static unsigned char *memory;
static uint64_t sums[THREADS][8];

/* ---- lines ---- */

static void increment(int me, int apart)
{
	for (int i = 0; i < 30000; i++)
		atomic_fetch_add(&words[apart ? me * 8 : me], 1);
}

static void share(int me) { increment(me, 0); }
static void pad(int me) { increment(me, 1); }

static void sweep(int me, size_t bytes, int rounds, int shared)
{
	unsigned char *from = memory + (shared ? 0 : (size_t)me * bytes);

	for (int round = 0; round < rounds; round++)
		for (size_t i = 0; i < bytes; i += LINE)
			sums[me][0] += from[i]++;
}

static void in_l2(int me) { sweep(me, 128 << 10, 10, 0); }
static void in_memory(int me) { sweep(me, 4 << 20, 1, 0); }
static void one_array(int me) { sweep(me, 4 << 20, 1, 1); }

/* ---- waiting ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int queued;

static void produce(void)
{
	pthread_mutex_lock(&mutex);
	while (queued == 8)
		pthread_cond_wait(&emptied, &mutex);
	queued++;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&mutex);
}

static void consume(int me)
{
	pthread_mutex_lock(&mutex);
	while (!queued)
		pthread_cond_wait(&filled, &mutex);
	queued--;
	sums[me][0]++;
	pthread_cond_signal(&emptied);
	pthread_mutex_unlock(&mutex);
}

static void condvar(int me)
{
	for (int i = 0; i < 2000; i++) {
		if (me % 2)
			consume(me);
		else
			produce();
	}
}

static atomic_int arrived, sense;

static void arrive(int round)
{
	if (atomic_fetch_add(&arrived, 1) == THREADS - 1) {
		atomic_store(&arrived, 0);
		atomic_store(&sense, round);
	}
}

static void spin_barrier(int me, int pauses)
{
	for (int i = 1; i <= 500; i++) {
		arrive(i);
		while (atomic_load(&sense) != i) {
			sums[me][0]++;
			if (pauses)
				__builtin_ia32_pause();
		}
	}
}

static void by_loads(int me)
{
	(void)me;
	for (int i = 1; i <= 500; i++) {
		arrive(i);
		while (atomic_load(&sense) != i)
			;
	}
}

static void with_pause(int me) { spin_barrier(me, 1); }
static void without_pause(int me) { spin_barrier(me, 0); }

static void spin_lock(int me)
{
	static atomic_flag taken = ATOMIC_FLAG_INIT;

	for (int i = 0; i < 3000; i++) {
		while (atomic_flag_test_and_set(&taken))
			sums[me][0]++;
		memory[0]++;
		atomic_flag_clear(&taken);
	}
}

static void rwlock(int me)
{
	static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

	for (int i = 0; i < 3000; i++) {
		if (i % 4 == me)
			pthread_rwlock_wrlock(&lock);
		else
			pthread_rwlock_rdlock(&lock);
		sums[me][0] += memory[0]++;
		pthread_rwlock_unlock(&lock);
	}
}

static int ends[THREADS][2];

static void pipes(int me)
{
	char byte = 1;

	for (int i = 0; i < 300; i++) {
		if (me == 0 && write(ends[1][1], &byte, 1) != 1)
			abort();
		if (read(ends[me][0], &byte, 1) != 1)
			abort();
		if (me && write(ends[(me + 1) % THREADS][1], &byte, 1) != 1)
			abort();
	}
}

/* Waits end by their timeouts, and sleeps. */
static void timeouts(int me)
{
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	struct timespec until;

	for (int i = 0; i < 50; i++) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 100000 * (me + 1);
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_mutex_lock(&own);
		sums[me][0] += (uint64_t)pthread_cond_timedwait(&never, &own, &until);
		pthread_mutex_unlock(&own);
		nanosleep(&(struct timespec){ .tv_nsec = 70000 }, NULL);
		sweep(me, 64 << 10, 1, 0);
	}
}

/* ---- signals ---- */

static pthread_t all[THREADS];
static atomic_int expired[2], received, created;

static void on_signal(int number)
{
	atomic_fetch_add(number == SIGUSR1 ? &received : &expired[number == SIGALRM], 1);
}

/* Timers of the process, and signals to threads, come while threads compute, sleep or read. */
static void timers(int me)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2 };
	struct itimerspec each = { { 0, 300000 }, { 0, 300000 } };
	timer_t timer;
	char byte = 1;

	while (!atomic_load(&created))
		sched_yield();
	if (me == 0) {
		setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 200 }, { 0, 200 } }, NULL);
		if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
		    timer_settime(timer, 0, &each, NULL))
			abort();
		for (int i = 0; i < 40; i++) {
			pthread_kill(all[i % 2 + 1], SIGUSR1);
			if (write(ends[3][1], &byte, 1) != 1)
				abort();
			nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
		}
		sums[0][0] = (uint64_t)received;
	}
	for (int i = 0; i < 40 && me == 3; i++) {
		while (read(ends[3][0], &byte, 1) != 1)
			;
		sums[me][0]++;
	}
	if (me == 1 || me == 2)
		sweep(me, 64 << 10, 1500, 0);
}

/* A thread waits in the host's kernel for signals that the others send to the process. */
static void wait_for_signals(int me)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	for (int i = 0; i < 60 && me == 0; i++) {
		if (sigwait(&set, &number))
			abort();
		sums[0][0] += (uint64_t)number;
		atomic_store(&received, i + 1);
	}
	for (int i = 0; i < 20 && me; i++) {
		int before = received;

		sweep(me, 64 << 10, 1, 0);
		kill(getpid(), SIGRTMIN);
		while (received == before)
			sched_yield();
		sums[me][0] += (uint64_t)received;
	}
}

static long long cpu_time_of_host(void)
{
	char path[64];
	long long ns;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", (int)gettid());
	f = fopen(path, "r");
	if (!f || fscanf(f, "%lld", &ns) != 1)
		abort();
	fclose(f);
	return ns;
}

/* A thread that waits takes no CPU time of the host. It waits for 20 ms of the machine, which are
 * many more of the host. */
static void sleeper(int me)
{
	static long long computed;
	long long slept;

	while (!atomic_load(&created))
		sched_yield();
	if (me > 1)
		return;
	if (me) {
		sweep(me, 64 << 10, 4000, 0);
		computed = cpu_time_of_host();
		return;
	}
	slept = cpu_time_of_host();
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	slept = cpu_time_of_host() - slept;
	pthread_join(all[1], NULL);
	sums[0][0] = slept * 4 < computed;
}

/* ---- OpenMP ---- */

#ifdef _OPENMP
static void openmp(void)
{
	double sum = 0;

	omp_set_num_threads(THREADS);
#pragma omp parallel for schedule(static)
	for (int i = 0; i < 1 << 16; i++)
		memory[i * 16]++;
#pragma omp parallel for schedule(dynamic, 64)
	for (int i = 0; i < 1 << 14; i++)
		memory[i * 64]++;
#pragma omp parallel for reduction(+:sum)
	for (int i = 0; i < 1 << 16; i++)
		sum += memory[i];
#pragma omp parallel
	for (int i = 0; i < 100; i++) {
#pragma omp critical
		sums[0][0]++;
#pragma omp barrier
	}
	printf("%.0f ", sum);
}

static long fibonacci(int n)
{
	long before = 0, last = 0;

	if (n < 2)
		return n;
	if (n < 8)
		return fibonacci(n - 1) + fibonacci(n - 2);
#pragma omp task shared(before)
	before = fibonacci(n - 2);
#pragma omp task shared(last)
	last = fibonacci(n - 1);
#pragma omp taskwait
	return before + last;
}

static void openmp_tasks(void)
{
	long number = 0;

	omp_set_num_threads(THREADS);
#pragma omp parallel for schedule(guided)
	for (int i = 0; i < 1 << 14; i++)
		memory[i * 64]++;
#pragma omp parallel for schedule(guided, 8)
	for (int i = 0; i < 2000; i++) {
#pragma omp critical
		sums[0][0] += (uint64_t)i;
	}
#pragma omp parallel
#pragma omp single
	number = fibonacci(16);
	printf("%ld ", number);
}
#endif

static const struct way { const char *name; void (*run)(int me); } ways[] = {
	{ "share", share }, { "pad", pad }, { "l2", in_l2 }, { "memory", in_memory },
	{ "array", one_array }, { "condvar", condvar }, { "pause", with_pause },
	{ "no-pause", without_pause }, { "loads", by_loads }, { "spin-lock", spin_lock },
	{ "rwlock", rwlock }, { "pipes", pipes }, { "timeouts", timeouts }, { "timers", timers },
	{ "sigwait", wait_for_signals }, { "sleeper", sleeper },
};
static const struct way *way;

static void *thread(void *me)
{
	way->run((int)(intptr_t)me);
	return NULL;
}

static void run(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	if (way->run == wait_for_signals)
		pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (intptr_t i = 0; i < THREADS; i++)
		if (pipe(ends[i]))
			abort();
	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&all[i], NULL, thread, (void *)i);
	atomic_store(&created, 1);
	for (int i = 0; i < THREADS; i++)
		if (i != 1 || way->run != sleeper)
			pthread_join(all[i], NULL);
	printf("%d %d ", expired[0], expired[1]);
}

int main(int argc, char **argv)
{
	memory = calloc(THREADS, 4 << 20);
	if (argc < 2 || !memory)
		return 2;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(argv[1], ways[i].name))
			way = &ways[i];
	if (way)
		run();
#ifdef _OPENMP
	else if (!strcmp(argv[1], "tasks"))
		openmp_tasks();
	else
		openmp();
#endif
	for (int i = 0; i < THREADS; i++)
		printf("%llu ", (unsigned long long)sums[i][0]);
	puts("");
	return 0;
}
