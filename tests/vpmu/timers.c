// SPDX-License-Identifier: MIT
/* Uses interval timers and alarms: while it executes, sleeps and has children. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000L
static volatile int ticks;
static long last;

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

static void on_tick(int number)
{
	(void)number;
	ticks++;
	last = now();
}

/* Executes as many instructions as there are nanoseconds. */
static void work(long ns)
{
	long n = ns / 2;

	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n));
}

static void set(enum __itimer_which which, long us, long interval_us)
{
	const struct itimerval value = { { 0, interval_us }, { 0, us } };

	ticks = 0;
	setitimer(which, &value, NULL);
}

static void executed(const char *what, enum __itimer_which which, long us)
{
	set(which, us, us);
	work(11 * MS / 2);
	printf("%s %d\n", what, ticks);
	set(which, 0, 0);
}

/* Prints the time since then. */
static void tell(const char *what, int count, long expected)
{
	printf("%s %d at %ld\n", what, count, now() - expected);
}

static void sleeps(void)
{
	struct timespec t = { 0, 5 * MS / 2 }, rest = { 0, 0 };
	long begun = now();
	int rc;

	set(ITIMER_REAL, 1000, 1000);
	for (int i = 1; i <= 3; i++) {
		pause();
		tell("pause", ticks, begun + i * MS);
	}
	rc = nanosleep(&t, &rest);
	printf("sleep %d rest %ld\n", rc, rest.tv_nsec / 100000);
	set(ITIMER_REAL, 0, 0);
	set(ITIMER_PROF, 1000, 0);
	t.tv_nsec = 20 * MS;
	nanosleep(&t, NULL);
	printf("profiled %d\n", ticks);
	set(ITIMER_PROF, 0, 0);
}

static void alarms(void)
{
	long begun;

	printf("alarm %u", alarm(3));
	printf(" %u", alarm(1));
	ticks = 0;
	begun = now();
	pause();
	tell("", ticks, begun + 1000 * MS);
	printf("alarm %u\n", alarm(0));
}

static long microseconds(struct timeval v)
{
	return v.tv_sec * 1000000 + v.tv_usec;
}

static void children(void)
{
	struct rusage one, all;
	struct itimerval left;

	set(ITIMER_REAL, 900000, 0);
	fflush(stdout);
	if (!fork()) {
		getitimer(ITIMER_REAL, &left);
		printf("child's %ld\n", microseconds(left.it_value));
		fflush(stdout);
		work(5 * MS);
		usleep(20000);
		_exit(0);
	}
	wait4(-1, NULL, 0, &one);
	getrusage(RUSAGE_CHILDREN, &all);
	printf("usage %ld %ld\n", microseconds(one.ru_utime) / 1000,
	       microseconds(all.ru_utime) / 1000);
	set(ITIMER_REAL, 0, 0);
}

int main(int argc, char **argv)
{
	signal(SIGALRM, on_tick);
	signal(SIGPROF, on_tick);
	signal(SIGVTALRM, on_tick);
	executed("real", ITIMER_REAL, 1000);
	printf("last %d\n", now() - last < 2 * MS);
	executed("virtual", ITIMER_VIRTUAL, 700);
	executed("prof", ITIMER_PROF, 300);
	if (argc > 1 && !strcmp(argv[1], "short"))
		return 0;
	sleeps();
	alarms();
	children();
	return 0;
}
