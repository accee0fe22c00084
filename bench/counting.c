/* SPDX-License-Identifier: MIT */
/* Cost of counting:
 *
 *	counting phases VPMU	a measurement; prints the register reads and writes until the end
 *				of each phase, as that command has them
 *	counting cost ROUNDS	PAPI_read beside a bare loop of the same preads
 *	counting start_up	what a program does before it counts, in start_up()
 *
 * Eight C-Boxes, the arbiter's two counters and the fixed clock: eleven registers. For `cost` plain
 * files stand in for the msr devices, in this program only: reading one is cheaper than any RDMSR
 * through a driver, so what is added to it shows more than it would on silicon. */
#include <papi.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define C "intel_uncore:::"
#define REGISTERS 11

static const char *const events[] = {
	C "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:READ_I", C "skl_unc_arb.UNC_ARB_TRK_REQUESTS:ALL",
	C "skl_unc_arb.UNC_ARB_TRK_OCCUPANCY:ALL", C "skl_unc_clk.UNC_CLOCK:SOCKET",
};
enum { EVENTS = sizeof(events) / sizeof(events[0]) };

static const int addresses[REGISTERS] = {
	0x706, 0x716, 0x726, 0x736, 0x746, 0x756, 0x766, 0xF76, 0x3B0, 0x3B1, 0x395,
};

static int set = PAPI_NULL;
static char plain[64];	/* the file behind the devices; "": the devices themselves */

static void must(int rc, const char *what)
{
	if (rc == PAPI_OK)
		return;
	fprintf(stderr, "%s: %s\n", what, PAPI_strerror(rc));
	exit(1);
}

/* ---- the plain files: a definition here comes before the C library's */

typedef int open_function(const char *path, int flags, ...);

int open(const char *path, int flags, ...)
{
	static open_function *next;

	if (!next) {
		void *found = dlsym(RTLD_NEXT, "open");

		memcpy(&next, &found, sizeof(next));
	}
	if (plain[0] && strncmp(path, "/dev/cpu/", 9) == 0)
		path = plain;
	return next(path, flags, 0600);
}

/* Registers stand one byte apart in it, and the engine's writes run into each other: times mean
 * something then, counts do not. It finds 8 slices in MSR_UNC_CBO_CONFIG. */
static int make_plain(void)
{
	const uint64_t slices_and_one = 9;
	int fd;

	strcpy(plain, "/dev/shm/counting.XXXXXX");
	fd = mkstemp(plain);
	if (fd < 0 || ftruncate(fd, 0x2000) || pwrite(fd, &slices_and_one, 8, 0x396) != 8) {
		perror(plain);
		exit(1);
	}
	return fd;
}

/* ---- phases */

static void initialize(void)
{
	int code;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		exit(1);
	must(PAPI_event_name_to_code(events[0], &code), events[0]);
}

static void add(void)
{
	must(PAPI_create_eventset(&set), "a set");
	for (int i = 0; i < EVENTS; i++)
		must(PAPI_add_named_event(set, events[i]), events[i]);
}

static void start(void)
{
	must(PAPI_start(set), "start");
}

static void read_set(void)
{
	long long v[EVENTS];

	must(PAPI_read(set, v), "read");
}

static void stop(void)
{
	long long v[EVENTS];

	must(PAPI_stop(set, v), "stop");
}

static void finalize(void)
{
	must(PAPI_cleanup_eventset(set), "cleanup");
	must(PAPI_destroy_eventset(&set), "destroy");
	PAPI_shutdown();
}

static void (*const phases[])(void) = { initialize, add, start, read_set, stop, finalize,
					initialize, add, start, stop, start, stop, finalize };
enum { PHASES = sizeof(phases) / sizeof(phases[0]) };

static int print_accesses(const char *vpmu)
{
	char command[4096];

	fflush(stdout);
	snprintf(command, sizeof(command), "'%s' regs -s \"$VPMU_SEGMENT\" | sed -n "
		 "'s/.*accesses: \\([0-9]*\\) rdmsr, \\([0-9]*\\) wrmsr.*/\\1 \\2/p'", vpmu);
	return system(command);
}

static int go_through_phases(const char *vpmu)
{
	for (int i = 0; i < PHASES; i++) {
		phases[i]();
		if (print_accesses(vpmu))
			return 1;
	}
	return 0;
}

/* ---- start: a function that callgrind finds by its name */

void start_up(void);

__attribute__((noinline)) void start_up(void)
{
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		exit(1);
	must(PAPI_create_eventset(&set), "a set");
	must(PAPI_add_named_event(set, events[0]), events[0]);
}

/* ---- cost */

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

enum { TIMES = 5000 };

/* Functions that callgrind finds by their names. */
__attribute__((noinline)) static double time_papi(void)
{
	double from = now_ns();

	for (int i = 0; i < TIMES; i++)
		read_set();
	return (now_ns() - from) / TIMES;
}

__attribute__((noinline)) static double time_bare(int fd)
{
	double from = now_ns();
	uint64_t value;

	for (int i = 0; i < TIMES; i++)
		for (int r = 0; r < REGISTERS; r++)
			if (pread(fd, &value, sizeof(value), addresses[r]) != sizeof(value))
				exit(1);
	return (now_ns() - from) / TIMES;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Measure the two alternately. The median of the ratios is what the machine's other work disturbs
 * least. */
static int cost(int rounds)
{
	double *ratio = calloc((size_t)rounds, sizeof(*ratio));
	double papi = 0, bare = 0, p, b;
	int fd = make_plain();

	initialize();
	unlink(plain);
	add();
	start();
	for (int i = 0; i < rounds; i++) {
		b = time_bare(fd);
		p = time_papi();
		ratio[i] = p / b;
		bare = i && bare < b ? bare : b;
		papi = i && papi < p ? papi : p;
	}
	qsort(ratio, (size_t)rounds, sizeof(*ratio), by_value);
	printf("registers %d bare_ns %.0f papi_ns %.0f ratio %.3f\n", REGISTERS, bare, papi,
	       ratio[rounds / 2]);
	stop();
	free(ratio);
	close(fd);
	_exit(fflush(stdout) != 0);
}

int main(int argc, char **argv)
{
	int rounds = argc == 3 && strcmp(argv[1], "cost") == 0 ? atoi(argv[2]) : 0;

	if (rounds > 0)
		return cost(rounds);
	if (argc == 3 && strcmp(argv[1], "phases") == 0)
		return go_through_phases(argv[2]);
	if (argc == 2 && strcmp(argv[1], "start_up") == 0) {
		start_up();
		return 0;
	}
	fprintf(stderr, "Usage: counting phases VPMU | counting cost ROUNDS | counting start_up\n");
	return 2;
}
