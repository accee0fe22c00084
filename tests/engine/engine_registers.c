/* SPDX-License-Identifier: MIT */
/* The engine's register tables against the transcription under facts, and against the virtual
 * machine's own transcription of the same document. */
#include "clients.h"
#include "model/model.h"
#include "pmu/families.h"
#include "tsv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <fnmatch.h>
#include <string.h>

#include <cmocka.h>

struct row {
	char name[64];
	uint32_t address;
	uint64_t mask;
	int width, access, space;
};

/* The tables have what is confirmed; "unknown" is 0. */
static uint64_t confirmed_mask(const struct ipmu_reg *reg)
{
	uint64_t mask = reg->access == IPMU_RO ? 0 : ipmu_reg_fields(reg);

	for (const struct ipmu_field *f = reg->fields; f->name; f++)
		if (f->unconfirmed)
			mask &= ~f->bits;
	return mask;
}

static void instance(const struct ipmu_reg *reg, int box, int ctr, struct row *row)
{
	ipmu_reg_name(reg, box, ctr, row->name);
	row->address = ipmu_reg_addr(reg, box, ctr);
	row->mask = confirmed_mask(reg);
	row->width = reg->width;
	row->access = reg->access;
	row->space = reg->space;
}

/* The engine's row of that name, among all instances of all registers. */
static int find(const struct ipmu_family *family, const char *name, struct row *row)
{
	for (const struct ipmu_reg *const *r = family->registers; *r; r++)
		for (int b = 0; b < ((*r)->boxes ? (*r)->boxes : 1); b++)
			for (int c = 0; c < ((*r)->ctrs ? (*r)->ctrs : 1); c++) {
				instance(*r, b, c, row);
				if (strcmp(row->name, name) == 0)
					return 1;
			}
	return 0;
}

static int count(const struct ipmu_family *family)
{
	int n = 0;

	for (const struct ipmu_reg *const *r = family->registers; *r; r++)
		n += ((*r)->boxes ? (*r)->boxes : 1) * ((*r)->ctrs ? (*r)->ctrs : 1);
	return n;
}

static uint32_t address_of(const char *text)
{
	const char *plus = strchr(text, '+');

	return (uint32_t)strtoul(plus ? plus + 1 : text, NULL, 0);
}

static int access_of(const char *text)
{
	return strcmp(text, "RO") == 0 ? IPMU_RO : strcmp(text, "RW1C") == 0 ? IPMU_RW1C :
	       strcmp(text, "WO") == 0 ? IPMU_WO : IPMU_RW;
}

static int space_of(const char *address)
{
	return strncmp(address, "pci:", 4) == 0 ? IPMU_PCI :
	       strncmp(address, "BAR+", 4) == 0 ? IPMU_MMIO : IPMU_MSR;
}

/* A document: its table, the engine's family, and a virtual machine that has every register. */
struct document {
	const char *table;
	const struct ipmu_family *family;
	const char *machine;	/* NULL: none has these models */
	const char *unused;	/* patterns of registers that it lacks, a blank after each */
};

static const struct document documents[] = {
	/* DEBUGCTL belongs to the PMI path, which the engine does not use on this PMU. */
	{ "skl-client-uncore/registers.tsv", &ipmu_skl_client_uncore, "skl-8c16t",
	  "IA32_DEBUGCTL " },
	/* The TSC is no event counter. */
	{ "knc/registers.tsv", &ipmu_knc, "knc-4c16t", "IA32_TIME_STAMP_COUNTER " },
	{ "core2-fixed/registers.tsv", &ipmu_core2, "core2-4c", "" },
	/* C-Boxes of a Xeon E7. */
	{ "nehalem-ex-mbox/registers.tsv", &ipmu_nehalem_ex, "nhmex-1p8c16t", "C[89]_* " },
	{ "netburst/registers.tsv", &ipmu_netburst_p, "p4-1c2t", "MSR_IQ_ESCR0 MSR_IQ_ESCR1 " },
	{ "netburst/registers.tsv", &ipmu_netburst, NULL, "" },
};
#define DOCUMENTS (sizeof(documents) / sizeof(documents[0]))

static bool unused(const struct document *d, const char *name)
{
	char pattern[72];

	for (const char *at = d->unused; *at; at += strlen(pattern) + 1) {
		snprintf(pattern, sizeof(pattern), "%.*s", (int)strcspn(at, " "), at);
		if (fnmatch(pattern, name, 0) == 0)
			return true;
	}
	return false;
}

/* Two tables differ about PEBS_ENABLE: the note has the mask whose bits the engine needs. */
static uint64_t mask_of(const struct tsv *t)
{
	const char *wider = strstr(tsv_cell(t, "note"), "; mask 0x7019FFF");

	return wider ? strtoull(wider + strlen("; mask "), NULL, 16) : tsv_number(t, "writemask");
}

static void compare_row(const struct document *d, const struct tsv *t, const char *name)
{
	struct row row;

	if (!find(d->family, name, &row))
		fail_msg("the engine has no %s", name);
	print_message("%s\n", name);
	assert_int_equal(row.address, address_of(tsv_cell(t, "address")));
	assert_int_equal(row.width, tsv_number(t, "width"));
	assert_int_equal(row.mask, mask_of(t));
	assert_int_equal(row.access, access_of(tsv_cell(t, "access")));
	assert_int_equal(row.space, space_of(tsv_cell(t, "address")));
}

static void engine_has_every_row_of_the_tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < DOCUMENTS; i++) {
		const struct document *d = &documents[i];
		struct tsv t;
		int rows = 0;

		tsv_open(&t, d->table);
		while (tsv_next(&t)) {
			char name[64];

			snprintf(name, sizeof(name), "%.*s",
				 (int)strcspn(tsv_cell(&t, "register"), " "),
				 tsv_cell(&t, "register"));
			if (unused(d, name))
				continue;
			compare_row(d, &t, name);
			rows++;
		}
		assert_int_equal(rows, count(d->family));
	}
}

static void compare_models(const struct document *d)
{
	struct vpmu_register_info info;
	struct vpmu_machine machine;
	char why[256];
	int rows = 0;

	if (vpmu_machine_parse(d->machine, &machine, why, sizeof(why)))
		fail_msg("%s", why);
	for (uint32_t i = 0; vpmu_model_register(&machine, i, &info); i++) {
		struct row row;
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(info.name, " "), info.name);
		if (!find(d->family, name, &row))
			continue;
		print_message("%s: %s\n", d->machine, name);
		rows++;
		assert_int_equal(row.address, info.address);
		assert_int_equal(row.width, info.width);
		/* the model may hold bits to be written though no register table has them */
		assert_int_equal(row.mask & ~info.unsourced, info.mask);
		assert_int_equal(row.access == IPMU_RO, info.access == VPMU_RO);
		assert_int_equal(row.access == IPMU_RW1C, info.access == VPMU_RW1C);
		assert_int_equal(row.access == IPMU_WO, info.access == VPMU_WO);
	}
	assert_int_equal(rows, count(d->family));
}

static void engine_and_model_agree(void **state)
{
	(void)state;
	for (size_t i = 0; i < DOCUMENTS; i++)
		if (documents[i].machine)
			compare_models(&documents[i]);
}

/* The counters of later CPUs begin as those of Core 2, at the same addresses. */
static void later_counters_are_where_core2_has_them(void **state)
{
	int rows = 0;

	(void)state;
	for (const struct ipmu_reg *const *r = ipmu_arch_core.registers; *r; r++, rows++) {
		const struct ipmu_reg *const *q = ipmu_core2.registers;

		while (*q && (*q)->addr != (*r)->addr)
			q++;
		assert_non_null(*q);
		assert_int_equal((*q)->ctr_stride, (*r)->ctr_stride);
		assert_int_equal((*q)->access, (*r)->access);
	}
	assert_int_equal(rows, 7);
}

/* Figures of the document, by hand. */
static void addresses_of_the_document(void **state)
{
	struct row row;

	(void)state;
	assert_true(find(&ipmu_skl_client_uncore, "MSR_UNC_CBO_3_PERFCTR1", &row));
	assert_int_equal(row.address, 0x737);
	assert_true(find(&ipmu_skl_client_uncore, "MSR_UNC_CBO_7_PERFEVTSEL1", &row));
	assert_int_equal(row.address, 0xF71);
	assert_true(find(&ipmu_skl_client_uncore, "MSR_UNC_PERF_GLOBAL_CTRL", &row));
	assert_int_equal(row.address, 0xE01);
	assert_int_equal(row.mask, 0xE000000F);
}

/* The TSV's notes: ZDP_CTL_FVC has another layout, and there are two more C-Boxes. */
static void westmere_ex_differs_in_one_register_and_two_boxes(void **state)
{
	const struct ipmu_reg *const *n = ipmu_nehalem_ex.registers;
	const struct ipmu_reg *const *w = ipmu_westmere_ex.registers;
	int others = 0;

	(void)state;
	for (; *n && *w; n++, w++) {
		if (*n == *w)
			continue;
		assert_string_equal((*n)->name, (*w)->name);
		assert_int_equal(ipmu_reg_addr(*n, 0, 0), ipmu_reg_addr(*w, 0, 0));
		if (*(*w)->name == 'C') {
			assert_int_equal((*n)->boxes, 8);
			assert_int_equal((*w)->boxes, 10);
			assert_int_equal(ipmu_reg_addr(*w, 8, 0), ipmu_reg_addr(*w, 0, 0) + 0x240);
			assert_int_equal(ipmu_reg_addr(*w, 9, 0), ipmu_reg_addr(*w, 0, 0) + 0x2C0);
			continue;
		}
		others++;
		assert_string_equal((*w)->name, "M%b_MSR_PMU_ZDP_CTL_FVC");
		assert_int_equal(ipmu_reg_writable(*w), 0x1FFFFFF);
		assert_int_equal(ipmu_reg_addr(*w, 1, 0), 0xCEB);
	}
	assert_true(!*n && !*w);
	assert_int_equal(others, 1);
}

/* A field is a row of bits of its register, and no bit belongs to two of them. */
static void fields_do_not_overlap(void **state)
{
	(void)state;
	for (const struct ipmu_family *const *family = ipmu_families; *family; family++)
		for (const struct ipmu_reg *const *r = (*family)->registers; *r; r++) {
			uint64_t taken = 0;

			for (const struct ipmu_field *f = (*r)->fields; f->name; f++) {
				int lo = __builtin_ffsll((long long)f->bits) - 1;
				int hi = 63 - __builtin_clzll(f->bits | 1);

				if (lo < 0 || hi >= (*r)->width || f->bits & taken ||
				    __builtin_popcountll(f->bits) != hi - lo + 1)
					fail_msg("%s: %s", (*r)->name, f->name);
				taken |= f->bits;
			}
		}
}

/* Each register, type and counter constraint cites its document. */
static void every_row_cites_its_document(void **state)
{
	(void)state;
	for (const struct ipmu_family *const *f = ipmu_families; *f; f++) {
		assert_true((*f)->src && (*f)->src[0]);
		for (const struct ipmu_reg *const *r = (*f)->registers; *r; r++)
			if (!(*r)->src || !(*r)->src[0])
				fail_msg("%s cites nothing", (*r)->name);
		for (const struct ipmu_pmu_type *const *t = (*f)->types; *t; t++) {
			const struct ipmu_constraint *c = (*t)->constraints;

			if (!(*t)->src || !(*t)->src[0])
				fail_msg("%s cites nothing", (*t)->name);
			for (; c && c->counters; c++)
				if (!c->src || !c->src[0])
					fail_msg("%s, code 0x%X, cites nothing", (*t)->name,
						 c->code);
		}
	}
}

/* Clients from Ice Lake on have architectural PerfMon, whatever processor runs this test. */
static const struct ipmu_family *core_of(const struct ipmu_family *uncore)
{
	const struct client_generation *g;

	if (uncore == &ipmu_skl_client_uncore)
		return &ipmu_skl_core;
	for (size_t i = 0; (g = client_generation(i)); i++)
		if (g->family == uncore)
			return strstr("SNB IVB HSW BDW", g->key) ? NULL : &ipmu_arch_core;
	return NULL;
}

/* The family of a generation, of which some have one for each model. */
static const struct ipmu_family *client_family(const char *generation, unsigned long model)
{
	const struct client_generation *g;

	for (size_t i = 0; (g = client_generation(i)); i++) {
		if (!strcmp(g->key, generation) &&
		    (!g->model || strtoul(g->model, NULL, 0) == model))
			return g->family;
	}
	fail_msg("%s has no row in tests/data/clients.tsv", generation);
	return NULL;
}

#define FAMILIES 32
#define MODELS 256

/* The models that the facts have: "0x8c Tiger Lake mobile; 0x8d Tiger Lake H". Returns how many. */
static int read_client_models(const struct ipmu_family *of[FAMILIES][MODELS])
{
	struct tsv t;
	int n = 0;

	for (tsv_open(&t, "client-uncores/processors.tsv"); tsv_next(&t);) {
		uint64_t family = tsv_number(&t, "cpu_family");

		assert_true(family < FAMILIES);
		for (const char *at = tsv_cell(&t, "models"); at; at = strchr(at, ';')) {
			unsigned long model = strtoul(at + strcspn(at, "0"), NULL, 16);

			assert_true(model < MODELS && !of[family][model]);
			of[family][model] = client_family(tsv_cell(&t, "generation"), model);
			at++;
			n++;
		}
	}
	return n;
}

/* DisplayFamily_DisplayModel of the processors that the documents are about: SDM Table 35-1,
 * 327357-001 Table 1-2 for Knights Corner, and the facts on clients. */
static void models_of_the_documents(void **state)
{
	static const struct { int family, model; const struct ipmu_family *found; } have[] = {
		{ 6, 0x0F, &ipmu_core2 }, { 6, 0x16, &ipmu_core2 }, { 6, 0x17, &ipmu_core2 },
		{ 6, 0x1D, &ipmu_core2 }, { 6, 0x2E, &ipmu_nehalem_ex },
		{ 6, 0x2F, &ipmu_westmere_ex },
		{ 6, 0x4E, &ipmu_skl_client_uncore }, { 6, 0x5E, &ipmu_skl_client_uncore },
		{ 6, 0x8E, &ipmu_skl_client_uncore }, { 6, 0x9E, &ipmu_skl_client_uncore },
		{ 6, 0xA5, &ipmu_skl_client_uncore }, { 6, 0xA6, &ipmu_skl_client_uncore },
		{ 11, 1, &ipmu_knc },
		{ 15, 0, &ipmu_netburst }, { 15, 1, &ipmu_netburst }, { 15, 2, &ipmu_netburst },
		{ 15, 3, &ipmu_netburst_p }, { 15, 4, &ipmu_netburst_p },
		{ 15, 6, &ipmu_netburst_p },
	};
	const struct ipmu_family *clients[FAMILIES][MODELS] = { { NULL } };
	struct ipmu_topology topo = { .vendor = "GenuineIntel" };
	size_t n = 0;

	(void)state;
	assert_true(read_client_models(clients) > 13);	/* generations */
	for (topo.family = 0; topo.family < FAMILIES; topo.family++)
		for (topo.model = 0; topo.model < MODELS; topo.model++) {
			const struct ipmu_family *found, *core;
			char why[IPMU_WHY_MAX];

			found = ipmu_family_find(&topo, IPMU_SCOPE_PACKAGE, why);
			core = ipmu_family_find(&topo, IPMU_SCOPE_CPU, why);
			if (core_of(found))
				assert_ptr_equal(core, core_of(found));
			found = found ? found : core;
			if (clients[topo.family][topo.model])
				assert_ptr_equal(found, clients[topo.family][topo.model]);
			else if (n < sizeof(have) / sizeof(have[0]) &&
				 have[n].family == topo.family && have[n].model == topo.model)
				assert_ptr_equal(found, have[n++].found);
			else if (found && found != &ipmu_arch_core)	/* this machine */
				fail_msg("family %d model %d has %s", topo.family, topo.model,
					 found->name);
		}
	assert_int_equal(n, sizeof(have) / sizeof(have[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(engine_has_every_row_of_the_tables),
		cmocka_unit_test(engine_and_model_agree),
		cmocka_unit_test(later_counters_are_where_core2_has_them),
		cmocka_unit_test(addresses_of_the_document),
		cmocka_unit_test(westmere_ex_differs_in_one_register_and_two_boxes),
		cmocka_unit_test(fields_do_not_overlap),
		cmocka_unit_test(every_row_cites_its_document),
		cmocka_unit_test(models_of_the_documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
