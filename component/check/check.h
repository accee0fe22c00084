/* SPDX-License-Identifier: MIT */
/* ipmu-check: kernels with known traffic, counted and compared with arithmetic. Files, lowest
 * first: kernels.c, expected.c, results.c and perf.c know nothing of each other; counting.c, then
 * registers.c and limits.c use them; ipmu-check.c is the command. */
#ifndef IPMU_CHECK_H
#define IPMU_CHECK_H

#include "ipmu.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- kernels.c: work whose traffic is known */

enum kernel { READ, WRITE, STREAM, CHASE, LOOP, KERNELS };
#define KERNEL(k) (1u << (k))
#define MEMORY (KERNEL(READ) | KERNEL(WRITE) | KERNEL(STREAM) | KERNEL(CHASE))

struct kernel_work;
/* Bind the calling thread to these CPUs, which are sorted. */
void work_bind(const int *cpus, int n);
extern const char *const kernel_names[KERNELS];

/* A buffer of so many bytes, and as many as displace all else in the caches; a part of both for a
 * thread on each of these CPUs. 0, or a negative errno. */
int work_open(struct kernel_work **out, const int *cpus, int ncpus, size_t bytes, size_t broom);
void work_close(struct kernel_work *w);
/* If the kernel uses memory, run it once, and see to it that no cache has a line of the buffer.
 * 0, or -ENOMEM. */
int work_prepare(struct kernel_work *w, enum kernel k);
void work_run(struct kernel_work *w, enum kernel k);
/* Units of work of a run, of all threads together: lines of 64 bytes, or steps of the loop. */
double work_units(const struct kernel_work *w, enum kernel k);

/* ---- expected.c: events, and how often a unit of work causes them */

struct expected {
	const char *pmu;		/* shell pattern of the PMU's name */
	const char *event;		/* with its unit mask and qualifiers */
	double per[KERNELS];		/* events of a unit of work */
	unsigned kernels;		/* those that say something of this event */
	double factor;			/* more or less than expected by this factor is right */
	bool clock;			/* advances also while nothing happens */
	/* The kernel's PMU, with the name of its event unless that has our select's code. */
	const char *perf;
	const char *src;
};
extern const struct expected expected[];	/* up to a NULL pmu */

/* ---- results.c: the table */

enum check_verdict { PASS, FAIL, NOISE, SKIPPED };

struct result {
	char event[IPMU_NAME_MAX];
	const char *test;		/* name of the kernel, or what else was tried */
	const char *cpus;		/* "one", "all" or "-" */
	double count, expected;		/* expected < 0: there is no number */
	double perf;			/* < 0: not counted */
	enum check_verdict verdict;
	char remark[IPMU_WHY_MAX];	/* "" if none */
};

struct result *result_add(const char *event, const char *test, const char *cpus);
struct result *result_find(const char *event, const char *test, const char *cpus);
/* Set the verdict from count and expected: `noise` more or less may be the idle machine's, `units`
 * is the work done. */
void result_judge(struct result *r, double factor, double units, double noise);
void result_fail(struct result *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void result_skip(struct result *r, const char *reason);
int results_of(enum check_verdict v);
void results_write(FILE *f);

/* ---- perf.c: the kernel's own drivers of uncore PMUs */

/* Open the event on all boxes of that driver; select: event select where the name says no event.
 * Returns how many were opened, at most max; 0: there is no such driver, or it may not be used. */
int perf_open(const char *name, uint64_t select, int *fds, int max);
double perf_close(int *fds, int n);	/* their sum; -1: one cannot be read */

/* ---- counting.c: sessions of events, and kernels beside the idle machine */

struct counted {
	const struct expected *is;
	struct ipmu_event event;
	enum ipmu_scope scope;
	struct ipmu_session *session;	/* of this event alone */
	int round;			/* -1: not in one yet */
	uint64_t before, after;		/* counts around the last kernel */
	double idle;			/* events in a second of the idle machine */
};

struct check {
	const struct ipmu_topology *topo;
	const char *pmus;		/* shell pattern of the PMUs to check; NULL: all */
	struct ipmu_system *systems[2];	/* by enum ipmu_scope; NULL: cannot be used */
	struct counted *counted;
	int ncounted;
	struct kernel_work *work[2];	/* on one CPU, and on all that are allowed */
	int *cpus, ncpus;		/* those; the first is the one */
	size_t bytes;
};

/* True if this PMU is one to check. */
bool check_wants(const struct check *c, const struct ipmu_pmu_type *type);
/* Bind the calling thread, to whose CPUs sessions count core events. */
void counting_bind(const struct check *c, bool all);
/* Find the events that this machine has. 0, or a negative errno with why. */
int counting_open(struct check *c, char *why);
int counting_run(struct check *c, char *why);
/* Ends the sessions, which is before the systems are closed. */
void counting_close(struct check *c);
/* The kernel's drivers count the kernels once more. They program the same registers and leave them
 * changed, so this is for the time after registers_compare(). */
void counting_perf(const struct check *c);

/* ---- registers.c: what registers hold before and after */

struct register_copy;
/* Copies the documented registers; NULL: no memory. */
struct register_copy *registers_copy(const struct check *c);
/* A result for each family: was everything put back? Frees the copy. */
void registers_compare(struct register_copy *before);

/* ---- limits.c: counters that wrap, and counters that are frozen */

void limits_check(const struct check *c);

#endif
