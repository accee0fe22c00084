/* SPDX-License-Identifier: MIT */
/* The registers of the client generations, each on its virtual machine: those of the table of facts
 * are in the engine and in the model, and a model that is not known is tried on demand, if they
 * answer. */
#include "clients.h"
#include "pmu/families.h"
#include "tsv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- registers */

static bool address_of(const struct vpmu_register_info *r, const char *cell)
{
	static const char *const space[] = { "", "pci:00:00.0+", "BAR+" };
	char text[64];

	snprintf(text, sizeof(text), "%s0x%X", space[r->space], r->address);
	/* vpmu_registers_tsv checks the places in the table. */
	return strcmp(text, cell) == 0 || strncmp(cell, "table:", 6) == 0;
}

/* A register of a discovered unit has a number from which unit and register follow. */
static uint32_t number_of(const char *cell)
{
	const char *at = strchr(cell, '+');
	unsigned number, i = 0;
	char what[16];

	if (strcmp(cell, "table:global") == 0)
		return IPMU_UNITS_GLOBAL;
	if (sscanf(cell, "table:6.%u+%15s %u", &number, what, &i) < 2)
		return (uint32_t)strtoul(at ? at + 1 : cell, NULL, 0);
	return IPMU_UNITS_FROM + number * IPMU_UNIT_STEP +
	       (strcmp(what, "select") == 0 ? IPMU_UNIT_SELECTS + 4 * i :
		strcmp(what, "counter") == 0 ? IPMU_UNIT_COUNTERS + 8 * i : 0);
}

/* The width of a discovered unit is from the table, and the engine uses no reset. */
static void check_engine(const struct client_generation *g, const char *name, const struct tsv *t)
{
	char found[64];

	for (const struct ipmu_reg *const *r = g->family->registers; *r; r++)
		for (int b = 0; b < ((*r)->boxes ? (*r)->boxes : 1); b++)
			for (int c = 0; c < ((*r)->ctrs ? (*r)->ctrs : 1); c++) {
				uint64_t mask = tsv_number(t, "writemask"), bits = 0;

				ipmu_reg_name(*r, b, c, found);
				if (strcmp(found, name))
					continue;
				bits = ipmu_reg_writable(*r);
				if (ipmu_reg_addr(*r, b, c) != number_of(tsv_cell(t, "address")) ||
				    (bits != mask && !(*r)->unit_type) ||
				    ((*r)->width != tsv_number(t, "width") && !(*r)->unit_type))
					fail_msg("%s of %s is 0x%X, %u bits, 0x%llX in the engine",
						 name, g->key, (unsigned)ipmu_reg_addr(*r, b, c),
						 (*r)->width, (unsigned long long)bits);
				assert_true((bits & mask) == bits || (*r)->counter);
				return;
			}
	fail_msg("the engine has no %s", name);
}

/* Slices without a published event, global registers without a sourced bit that is needed, and the
 * other model's memory controllers. */
static bool is_left_alone(const struct client_generation *g, const struct tsv *t)
{
	const char *name = tsv_cell(t, "register"), *at = tsv_cell(t, "address");
	bool slices = strcmp(g->family->types[0]->name + 3, "_unc_cbo") == 0;

	if (strstr(tsv_cell(t, "note"), "not used by Linux"))
		return true;	/* that of the other controller serves both */
	if (slices)
		return strcmp(tsv_cell(t, "writemask"), "unknown") == 0;
	if (client_has_selects(g))	/* units without a published event */
		return strncmp(name, "MSR_UNC_CBO_", 12) == 0 || strstr(name, "_UNC_ARB_") ||
		       strstr(name, "_UNC_SANTA_") || strstr(name, "_CORE_BRIDGE_") ||
		       strstr(name, "_UNC_CNCU_1_") ||
		       (!g->clock && strstr(name, "_UNC_CNCU_")) ||
		       strstr(name, "_GLOBAL_CTRL") || strstr(at, "SAFBAR") ||
		       strncmp(name, "SAFBAR", 6) == 0;
	return strncmp(name, "MSR_UNC_CBO_", 12) == 0 ? strcmp(name, "MSR_UNC_CBO_CONFIG") :
	       strcmp(name, "MSR_UNC_PERF_GLOBAL_STATUS") == 0 ||
	       (strcmp(name, "MSR_UNC_PERF_GLOBAL_CTRL") == 0 && !tsv_number(t, "writemask")) ||
	       (g->other_block && strncmp(name, "MC", 2) == 0 &&
		(strtoul(at + 4, NULL, 16) & 0xFF00) == (g->other_block & 0xFF00));
}

/* True: the engine uses the register. It leaves out those that the facts say not to touch, that one
 * source alone has, or that serve interrupts alone. */
static bool is_used(const struct client_generation *g, const struct tsv *t)
{
	return tsv_has(t, "generation", g->key) &&
	       !strchr("U", tsv_cell(t, "status")[0]) &&
	       strcmp(tsv_cell(t, "access"), "unknown") &&
	       !strstr(tsv_cell(t, "note"), "no driver uses it") && !is_left_alone(g, t);
}

/* Slices that this machine has not, of a generation that has no selects for them to begin with. */
static bool is_of_larger_parts(const struct engine_fixture *f, const char *name)
{
	int slice;

	return client_here(f)->select && sscanf(name, "MSR_UNC_CBO_%d_", &slice) == 1 &&
	       slice >= (int)engine_fixture_peek(f, "MSR_UNC_CBO_CONFIG");
}

static void every_register_is_in_both(void **state)
{
	const struct engine_fixture *f = *state;
	const struct client_generation *g = client_here(f);
	struct vpmu_register_info info;
	char name[64];
	struct tsv t;

	for (tsv_open(&t, "client-uncores/registers.tsv"); tsv_next(&t);) {
		if (!is_used(g, &t))
			continue;
		snprintf(name, sizeof(name), "%s", tsv_cell(&t, "register"));
		name[strcspn(name, " ")] = '\0';	/* "IMC_BAR (PCI ...)" */
		check_engine(g, name, &t);
		if (is_of_larger_parts(f, name))
			continue;
		if (vpmu_model_find(&f->segment->machine, name, &info) ||
		    !address_of(&info, tsv_cell(&t, "address")))
			fail_msg("%s: not in the model, or elsewhere", name);
		assert_int_equal(info.width, tsv_number(&t, "width"));
		assert_int_equal(info.mask, tsv_number(&t, "writemask"));
	}
}

/* ---- a model that is not known */

static int open_as(const struct engine_fixture *f, int model, const char *family, char *why)
{
	const struct ipmu_topology *t = f->topo;
	struct ipmu_topology other = *t;
	struct ipmu_system *sys;
	int rc;

	other.model = model;
	setenv("IPMU_TRY_FAMILY", family, 1);
	rc = ipmu_system_open(&other, IPMU_SCOPE_PACKAGE, &sys, why);
	unsetenv("IPMU_TRY_FAMILY");
	return rc ? rc : ipmu_system_close(sys);
}

/* Nothing of it is cut off: the names that stand in brackets, all of them. */
static void check_supported(const char *why)
{
	const char *list = strstr(why, "supported: ");
	char name[64];

	assert_non_null(list);
	for (const struct ipmu_family *const *f = ipmu_families; *f; f++)
		if ((*f)->scope == IPMU_SCOPE_PACKAGE) {
			assert_int_equal(sscanf((*f)->models_text, "%*[^(](%63[^)])", name), 1);
			assert_non_null(strstr(list, name));
			list += strlen("; ") + strlen(name);
		}
}

/* The message names the family of the nearest model in the facts: 0xE5 for 0xFE of CPU family 6,
 * and 0x47 for 0x48. */
static void check_nearest(const char *why, int cpu_family, int model)
{
	char expected[128], family[16] = "";
	long least = 0x100;
	struct tsv t;

	for (tsv_open(&t, "client-uncores/processors.tsv"); tsv_next(&t);)
		for (const char *at = tsv_cell(&t, "models"); at; at = strchr(at, ';')) {
			at += strcspn(at, "0");
			if ((int)tsv_number(&t, "cpu_family") != cpu_family ||
			    labs(strtol(at, NULL, 16) - model) >= least)
				continue;
			least = labs(strtol(at, NULL, 16) - model);
			snprintf(family, sizeof(family), "%s_unc", tsv_cell(&t, "generation"));
		}
	for (char *c = family; *c; c++)
		*c = (char)tolower(*c);
	snprintf(expected, sizeof(expected), "; nearest known: %s, which IPMU_TRY_FAMILY=%s tries "
		 "at your own risk; supported: ", family, family);
	if (!strstr(why, expected))
		fail_msg("not %s: %s", family, why);
}

/* 0x48 and 0xFE are of no family. */
static void unknown_models_are_tried_on_demand(void **state)
{
	const struct engine_fixture *f = *state;
	char why[IPMU_WHY_MAX] = "", name[32];

	snprintf(name, sizeof(name), "%s", client_here(f)->family->name);
	assert_int_equal(open_as(f, 0xFE, "", why), -ENODEV);
	check_nearest(why, f->topo->family, 0xFE);
	check_supported(why);
	assert_int_equal(open_as(f, 0x48, "nonsense", why), -ENODEV);
	check_nearest(why, f->topo->family, 0x48);
	assert_int_equal(open_as(f, 0xFE, name, why), 0);
}

static void refused(const struct engine_fixture *f, const char *reg, uint64_t value,
		    const char *reason)
{
	uint64_t old = engine_fixture_peek(f, reg);
	char why[IPMU_WHY_MAX] = "", name[32];

	snprintf(name, sizeof(name), "%s", client_here(f)->family->name);
	engine_fixture_poke(f, reg, value);
	assert_int_equal(open_as(f, 0xFE, name, why), -ENXIO);
	engine_fixture_poke(f, reg, old);
	if (!strstr(why, "this CPU does not answer like that family: ") || !strstr(why, reason))
		fail_msg("%s", why);
}

static void what_answers_otherwise_is_refused(void **state)
{
	const struct engine_fixture *f = *state;
	const char *select = client_select_of_arbiter(client_here(f));
	struct vpmu_register_info reg;
	char reason[96];

	if (!client_here(f)->clock)
		return;		/* it has no register that could */
	assert_int_equal(vpmu_model_find(&f->segment->machine, select, &reg), 0);
	snprintf(reason, sizeof(reason), "%s (0x%X) holds 0x10000000000, with bits", select,
		 (unsigned)reg.address);
	refused(f, select, 1ull << 40, reason);
	if (ipmu_reg_at(client_here(f)->family->registers, 0x396, NULL, NULL))
		refused(f, "MSR_UNC_CBO_CONFIG", 0, "C-Boxes, of 1 to");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_register_is_in_both),
		cmocka_unit_test(unknown_models_are_tried_on_demand),
		cmocka_unit_test(what_answers_otherwise_is_refused),
	};
	int status = client_each(argv);

	(void)argc;
	return status >= 0 ? status :
	       cmocka_run_group_tests(tests, client_open, engine_fixture_close);
}
