/* SPDX-License-Identifier: MIT */
/* The two machines on which PAPI's clients are tried, and what they do with sets. Errors, in any
 * thread, are reported and counted. */
#ifndef TEST_TWO_MACHINES_H
#define TEST_TWO_MACHINES_H

#include <papi.h>

#include "engine_fixture.h"

#define CLIENTS_EVENTS 25

struct clients_machine {
	const char *name, *component;
	const char *first;	/* the event that raise() moves, by n */
	const char *forked;	/* what a child counts while its parent counts `parent` */
	const char *parent;
	const char *unlike;	/* the same PMU, stays 0 */
	const char *global;	/* register, 0 while nothing is counted */
	int counters;		/* that the 25 events need */
	void (*raise)(uint32_t n);
	void (*raise_forked)(uint32_t n);
	void (*raise_parent)(uint32_t n);
	void (*wrap)(void);	/* moves `first` by 2^width, whatever it was */
	void (*list)(int i, char *name);	/* 25 events, the first is `first` */
};

extern struct engine_fixture clients_fixture;
extern const struct clients_machine clients_skl, clients_core2, *clients_on;	/* one of them */
extern _Atomic int clients_failures;

#define CBO "intel_uncore:::skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:"
#define IMC "intel_uncore:::skl_unc_imc."
#define OK(call) clients_is(call, PAPI_OK, #call)
#define IS(expression, wanted) clients_is(expression, wanted, #expression)

bool clients_is(long long got, long long wanted, const char *what);
int clients_set_of(const char *const *names, int n);
int clients_set_of_many(void);
void clients_end_set(int set);
void clients_nothing_is_left(void);
void clients_no_failures(void);	/* so far */

/* cmocka set-ups and tear-downs: of a test, and of a group. */
int clients_check(void **state);
int clients_open(void **state);
int clients_close(void **state);
/* `run` on both machines, each in a process of its own. */
int clients_main(char **argv, int (*run)(void));

#endif
