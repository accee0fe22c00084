/* SPDX-License-Identifier: MIT */
/* The client generations whose uncore is counted, each with its virtual machine, by
 * tests/data/clients.tsv. */
#ifndef TEST_CLIENTS_H
#define TEST_CLIENTS_H

#include "engine_fixture.h"

struct client_generation {
	const char *key, *machine;
	char prefix[8];
	const struct ipmu_family *family;
	int events;		/* rows of the table with mark S, C or K */
	const char *model;	/* of which rows may be; NULL: all are of all models */
	uint32_t other_block;	/* the memory controllers' of other models; 0: all are alike */
	const char *clock;	/* its PMU; NULL: there is none, nor any other with MSRs */
	/* An arbiter's counter, or the clock's control; NULL: the first generations' name. */
	const char *select;
	bool clock_only;	/* of MSRs it uses the clock's alone */
	bool unconfirmed;	/* with the events that one source has, which is not Intel */
};

/* The row number `i`, or NULL after the last. */
const struct client_generation *client_generation(size_t i);

/* The row of the machine that this process is on, or end the test. */
const struct client_generation *client_here(const struct engine_fixture *f);
/* Whether these are at places from a discovery table, and the name of one of the registers of
 * controller `box`: its control, a select or a counter. */
bool client_is_discovered(const struct client_generation *g);
const char *client_imc_register(const struct client_generation *g, int box, const char *what);
bool client_has_selects(const struct client_generation *g);	/* of memory controllers */
const char *client_select_of_arbiter(const struct client_generation *g);
/* cmocka group set-up, with engine_fixture_close. */
int client_open(void **state);
/* If this is not yet the machine of a row: this program again on each of them, or on each Nth with
 * EVERY_MACHINE=N in the environment. The worst status, or -1 where it goes on. */
int client_each(char **argv);

#endif
