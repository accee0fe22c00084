#!/bin/bash
# SPDX-License-Identifier: MIT
# Time that a program reads on the machine, and what goes by it: waits, interval timers, CPU time. Limits
# follow from clock_gettime(2), nanosleep(2), setitimer(2), alarm(2), getrusage(2), timerfd_create(2) and the
# stated model: an instruction takes one clock of 1 ns.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs "${CC:-cc}" ipmu-run
cd "$scratch" || exit 1
unset VPMU_SEGMENT VPMU_TIME OMPI_COMM_WORLD_RANK PMI_RANK
run() { "$vpmu" run "$@" 2>&1; }
busily() {	# busily COMMAND...: beside three programs that take the host's CPUs
	local load=()
	for _ in 1 2 3; do
		(while :; do :; done) & load+=($!)
	done
	"$@"
	kill "${load[@]}"
	wait "${load[@]}" 2>/dev/null
}

# ---- clocks: four waits of 5 to 11 ms, each after the time was read

cat >time.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define MS 1000000L
static long ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

static struct timespec after(clockid_t clock, long wait)
{
	long end = ns(clock) + wait;

	return (struct timespec){ end / (1000 * MS), end % (1000 * MS) };
}

static long tell(const char *what, long begun)
{
	printf("%s %ld\n", what, ns(CLOCK_MONOTONIC) - begun);
	return ns(CLOCK_MONOTONIC);
}

int main(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	long begun = ns(CLOCK_MONOTONIC), ticks = (long)__rdtsc(), cpu = ns(CLOCK_PROCESS_CPUTIME_ID);
	struct timespec t = { 0, 5 * MS };
	struct timeval day;
	struct rusage usage;

	nanosleep(&t, NULL);
	begun = tell("5", begun);
	poll(NULL, 0, 7);
	begun = tell("7", begun);
	t = after(CLOCK_MONOTONIC, 9 * MS);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	begun = tell("9", begun);
	t = after(CLOCK_REALTIME, 11 * MS);
	pthread_mutex_lock(&mutex);
	if (pthread_cond_timedwait(&condition, &mutex, &t) == ETIMEDOUT)
		tell("11", begun);
	gettimeofday(&day, NULL);
	getrusage(RUSAGE_SELF, &usage);
	printf("TSC %ld %ld %ld.%06ld %ld %ld %ld\n", ticks, (long)__rdtsc(), day.tv_sec, day.tv_usec,
	       (long)time(NULL), (long)times(NULL), usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	printf("CPU %ld\n", ns(CLOCK_PROCESS_CPUTIME_ID) - cpu);
	return 0;
}
C
"${CC:-cc}" -O1 -pthread -o time time.c || exit 1
timed=$(run ./time)
is 'time again' "$timed" "$(run ./time)"
is 'time beside a busy host' "$timed" "$(busily run ./time)"
is 'time by the option' "$timed" "$(VPMU_TIME=host run --time model ./time)"
# A wait takes its time, and the instructions around it less than 1 ms.
is 'waits' '5 7 9 11' "$(awk '$1 ~ /^[0-9]+$/ && $2 >= $1 * 1000000 && $2 < ($1 + 1) * 1000000 { print $1 }' <<<"$timed" | paste -sd ' ')"
is 'the date' 2020-01-01 "$(date -u -d "@$(awk '/^TSC/ { print int($4) }' <<<"$timed")" +%F)"
is 'RDTSC moves' yes "$(awk '/^TSC/ && $3 - $2 > 32000000 { print "yes" }' <<<"$timed")"
is 'waits take no CPU time' yes "$(awk '/^TSC/ && $7 < 1000 { tsc = 1 } /^CPU/ && $2 > 0 && $2 < 1000000 && tsc { print "yes" }' <<<"$timed")"
host=$(run --time host ./time)
is 'waits by the host' '5 7 9 11' "$(awk '$1 ~ /^[0-9]+$/ && $2 >= $1 * 1000000 { print $1 }' <<<"$host" | paste -sd ' ')"
year() { date -u -d "@$(awk '/^TSC/ { print int($4) }')" +%Y; }
is 'the date is the host'\''s' "$(date -u +%Y)" "$(year <<<"$host")"
is 'by the variable' "$(date -u +%Y)" "$(VPMU_TIME=host run ./time | year)"
is 'of a rank' "$(date -u +%Y)" "$(OMPI_COMM_WORLD_RANK=0 run ./time | year)"
is 'of a rank that wants the machine'\''s' 2020 "$(OMPI_COMM_WORLD_RANK=0 run --time model ./time | year)"

# ---- interval timers

cat >timers.c <<'C'
#define _GNU_SOURCE
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

static void set(int which, long us, long interval_us)
{
	const struct itimerval value = { { 0, interval_us }, { 0, us } };

	ticks = 0;
	setitimer(which, &value, NULL);
}

static void executed(const char *what, int which, long us)
{
	set(which, us, us);
	work(11 * MS / 2);
	printf("%s %d\n", what, ticks);
	set(which, 0, 0);
}

/* Tells how much later than at this time. */
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
	printf("usage %ld %ld\n", microseconds(one.ru_utime) / 1000, microseconds(all.ru_utime) / 1000);
	set(ITIMER_REAL, 0, 0);
}

int main(int argc, char **argv)
{
	signal(SIGALRM, on_tick);
	signal(SIGPROF, on_tick);
	signal(SIGVTALRM, on_tick);
	executed("real", ITIMER_REAL, 1000);
	printf("last %ld\n", now() - last < 2 * MS);
	executed("virtual", ITIMER_VIRTUAL, 700);
	executed("prof", ITIMER_PROF, 300);
	if (argc > 1 && !strcmp(argv[1], "short"))
		return 0;
	sleeps();
	alarms();
	children();
	return 0;
}
C
"${CC:-cc}" -O1 -o timers timers.c || exit 1
timers=$(run -m core2-4c ./timers)	# a clock there is an instruction
is 'ticks while it executes' '5 7 18' "$(awk '/^(real|virtual|prof) / { print $2 }' <<<"$timers" | paste -sd ' ')"
# A signal comes at most 1,024 clocks late, and the handler looks at the time again.
is 'ticks end a pause' '1 2 3' "$(awk '/^pause/ && $4 >= -1000 && $4 < 10000 { print $2 }' <<<"$timers" | paste -sd ' ')"
is 'a tick ends a sleep' 'sleep -1 rest 15' "$(grep '^sleep' <<<"$timers")"
is 'sleep takes no CPU time' 'profiled 0' "$(grep '^profiled' <<<"$timers")"
is 'an alarm' 'alarm 0 3 1 yes alarm 0' "$(awk '/^alarm 0 3/ { print $1, $2, $3, $4, ($6 >= -1000 && $6 < 10000 ? "yes" : $6) } /^alarm 0$/' <<<"$timers" | paste -sd ' ')"
is 'a child has no timer' "child's 0" "$(grep '^child' <<<"$timers")"
is 'CPU time of children' 'usage 5 5' "$(grep '^usage' <<<"$timers")"
is 'timers again' "$timers" "$(run -m core2-4c ./timers)"
is 'timers beside a busy host' "$timers" "$(busily run -m core2-4c ./timers)"
counted() { "$@" ipmu-run --on skl-4c8t -e skl.INST_RETIRED:ANY_P,skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_MESI -- ./timers short 2>&1 | awk '/^    skl/ { print $1, $2 }'; }
counts=$(counted)
is 'counts of ticks' yes "$(awk '$1 ~ /INST_RETIRED/ && $2 > 16500000 { print "yes" }' <<<"$(tr -d , <<<"$counts")")"
is 'counts of ticks again' "$counts" "$(counted)"
is 'counts of ticks beside a busy host' "$counts" "$(busily counted)"
# Calls that cannot wait take 12 ms each, as on a host that is busy enough.
slowly() {	# slowly COMMAND...
	strace -f -qq -o trace -e inject=mmap,fstat,newfstatat:delay_exit=12000 "$@"
}
if slowly true 2>/dev/null; then
	is 'counts of ticks where calls are slow' "$counts" "$(counted slowly)"
else
	echo 'no strace here: calls have not been slow'
fi

# ---- what goes by the host

cat >waits.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000L
static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 * MS + t.tv_nsec;
}

static struct timespec *end;

static void *wait_for_end(void *unused)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition;
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&condition, &monotonic);
	pthread_mutex_lock(&mutex);
	return pthread_cond_timedwait(&condition, &mutex, end) == ETIMEDOUT ? unused : NULL;
}

/* Two threads wait for one time, which nobody may write to. */
static void one_end(void)
{
	long begun = now(), until = begun + 20 * MS;
	pthread_t other;
	void *late;

	end = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*end = (struct timespec){ until / (1000 * MS), until % (1000 * MS) };
	mprotect(end, 4096, PROT_READ);
	pthread_create(&other, NULL, wait_for_end, &other);
	printf("%s", wait_for_end(&other) && now() >= until ? "late" : "early");
	pthread_join(other, &late);
	printf(" %s\n", late && now() >= until ? "late" : "early");
}

static void descriptor(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	long begun = now(), until = begun + 20 * MS;
	struct itimerspec at = { .it_value = { until / (1000 * MS), until % (1000 * MS) } };
	uint64_t times = 0;

	timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL);
	if (read(fd, &times, sizeof(times)) < 0)
		times = 0;
	printf("%d %s\n", (int)times, now() >= until ? "late" : "early");
}

static void receive(void)
{
	const struct timeval limit = { 0, 5000 };
	long until = now() + 50 * MS;
	int ends[2], n = 0;
	char byte;

	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	while (now() < until && n < 1000 && recv(ends[0], &byte, 1, 0) < 0)
		n++;
	printf("%s\n", n > 0 && n < 1000 ? "ends" : "lasts");
}

static void look(void)
{
	long until = now() + 10 * MS, n = 0;

	while (now() < until && n < 1000000)
		n++;
	printf("%s\n", n < 1000000 ? "ends" : "lasts");
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "look")) {
		look();
		return 0;
	}
	one_end();
	descriptor();
	receive();
	return 0;
}
C
"${CC:-cc}" -O1 -pthread -o waits waits.c || exit 1
is 'absolute timeouts, timer descriptors, limits of sockets' 'late late, 1 late, ends' "$(run ./waits | paste -sd , | sed 's/,/, /g')"
is 'a loop that is not counted' 'ends' "$(run --only true -- sh -c './waits look; exec true')"
finish
