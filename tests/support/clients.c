/* SPDX-License-Identifier: MIT */
#include "clients.h"

#include "on_machine.h"
#include "pmu/families.h"
#include "tsv.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct client_generation generations[32];
static size_t generation_count;

/* "tglh_unc" of the machine's own model, or "adl_unc" of its generation. */
static const struct ipmu_family *family_of(const char *machine, const char *generation)
{
	char name[2][32];

	snprintf(name[0], sizeof(name[0]), "%.*s_unc", (int)strcspn(machine, "-"), machine);
	snprintf(name[1], sizeof(name[1]), "%s_unc", generation);
	for (int i = 0; i < 2; i++)
		for (const struct ipmu_family *const *f = ipmu_families; *f; f++)
			if (strcasecmp((*f)->name, name[i]) == 0)
				return *f;
	fprintf(stderr, "%s: no family %s or %s\n", machine, name[0], name[1]);
	exit(1);
}

static const char *cell_or_null(const struct tsv *t, const char *column)
{
	const char *cell = tsv_cell(t, column);

	return strcmp(cell, "-") ? strdup(cell) : NULL;
}

static void read_generations(void)
{
	struct tsv t;

	for (tsv_open(&t, "clients.tsv"); tsv_next(&t);) {
		struct client_generation *g = &generations[generation_count];

		if (strcmp(tsv_cell(&t, "events"), "-") == 0)
			continue;
		assert_true(generation_count++ < sizeof(generations) / sizeof(generations[0]));
		g->machine = cell_or_null(&t, "machine");
		g->key = cell_or_null(&t, "generation");
		snprintf(g->prefix, sizeof(g->prefix), "%s", g->key);
		for (char *c = g->prefix; *c; c++)
			*c = (char)tolower(*c);
		g->family = family_of(g->machine, g->key);
		g->events = (int)tsv_number(&t, "events");
		g->model = cell_or_null(&t, "model");
		g->other_block = (uint32_t)tsv_number(&t, "other_block");
		g->clock = cell_or_null(&t, "clock");
		g->select = cell_or_null(&t, "select");
		g->clock_only = strstr(tsv_cell(&t, "options"), "clock_only");
		g->unconfirmed = strstr(tsv_cell(&t, "options"), "unconfirmed");
	}
}

const struct client_generation *client_generation(size_t i)
{
	if (!generation_count)
		read_generations();
	return i < generation_count ? &generations[i] : NULL;
}

const struct client_generation *client_here(const struct engine_fixture *f)
{
	const struct client_generation *g;

	for (size_t i = 0; (g = client_generation(i)); i++)
		if (strcmp(g->machine, f->segment->machine.name) == 0)
			return g;
	fail_msg("no row for %s", f->segment->machine.name);
	return NULL;
}

bool client_has_selects(const struct client_generation *g)
{
	for (const struct ipmu_reg *const *r = g->family->registers; *r; r++)
		if ((*r)->space == IPMU_MMIO && ipmu_reg_writable(*r))
			return true;
	return false;
}

bool client_is_discovered(const struct client_generation *g)
{
	for (const struct ipmu_reg *const *r = g->family->registers; *r; r++)
		if ((*r)->unit_type)
			return true;
	return false;
}

const char *client_imc_register(const struct client_generation *g, int box, const char *what)
{
	static char name[4][32];
	static unsigned turn;
	bool is = client_is_discovered(g);
	char *to = name[turn++ % 4];

	snprintf(to, sizeof(name[0]), "%s%d_%s", is ? "IMC" : "MC", box,
		 strcmp(what, "CTL") ? what : is ? "UNIT_CTL" : "BOX_CTL");
	return to;
}

const char *client_select_of_arbiter(const struct client_generation *g)
{
	return g->select ? g->select : "MSR_UNC_ARB_PERFEVTSEL1";
}

int client_open(void **state)
{
	static const struct engine_found nothing[] = { { NULL, 0 } };

	return engine_fixture_open_on(state, IPMU_SCOPE_PACKAGE, nothing);
}

int client_each(char **argv)
{
	const struct client_generation *g;
	const char *every = getenv("EVERY_MACHINE");
	size_t step = every ? strtoul(every, NULL, 10) : 1;
	int worst = 0, status;

	if (getenv("VPMU_SEGMENT"))
		return -1;
	assert_true(step > 0);
	for (size_t i = 0; (g = client_generation(i)); i += step) {
		pid_t child = fork();

		if (child == 0) {
			if (g->unconfirmed)
				setenv("LIBPFM_CLIENT_UNCONFIRMED", "1", 1);
			on_machine(argv, g->machine);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
			return 1;
		worst = WEXITSTATUS(status) > worst ? WEXITSTATUS(status) : worst;
	}
	return worst;
}
