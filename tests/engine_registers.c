/* SPDX-License-Identifier: MIT */
/* The engine's register tables against the transcription under tests/data, and against the virtual
 * machine's own transcription of the same document. */
#include "model.h"
#include "pmu/pmu.h"
#include "tsv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct row {
	char name[64];
	uint32_t address;
	uint64_t mask;
	int width, access, space;
};

static void instance(const struct ipmu_reg *reg, int box, int ctr, struct row *row)
{
	ipmu_reg_name(reg, box, ctr, row->name);
	row->address = ipmu_reg_addr(reg, box, ctr);
	row->mask = ipmu_reg_writable(reg);
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
	return strcmp(text, "RO") == 0 ? IPMU_RO : strcmp(text, "RW1C") == 0 ? IPMU_RW1C : IPMU_RW;
}

static int space_of(const char *address)
{
	return strncmp(address, "pci:", 4) == 0 ? IPMU_PCI :
	       strncmp(address, "BAR+", 4) == 0 ? IPMU_MMIO : IPMU_MSR;
}

static void engine_has_every_row_of_the_table(void **state)
{
	const struct ipmu_family *family = ipmu_families[0];
	int rows = 0;
	struct tsv t;

	(void)state;
	tsv_open(&t, "skl-client-uncore.registers.tsv");
	while (tsv_next(&t)) {
		char name[64];
		struct row row;

		snprintf(name, sizeof(name), "%.*s",
			 (int)strcspn(tsv_cell(&t, "register"), " "), tsv_cell(&t, "register"));
		/* Belongs to the PMI path, which the engine does not use on this PMU. */
		if (strcmp(name, "IA32_DEBUGCTL") == 0)
			continue;
		if (!find(family, name, &row))
			fail_msg("the engine has no %s", name);
		print_message("%s\n", name);
		assert_int_equal(row.address, address_of(tsv_cell(&t, "address")));
		assert_int_equal(row.width, tsv_number(&t, "width"));
		assert_int_equal(row.mask, tsv_number(&t, "writemask"));
		assert_int_equal(row.access, access_of(tsv_cell(&t, "access")));
		assert_int_equal(row.space, space_of(tsv_cell(&t, "address")));
		rows++;
	}
	assert_int_equal(rows, count(family));
}

static void engine_and_model_agree(void **state)
{
	const struct ipmu_family *family = ipmu_families[0];
	struct vpmu_register_info info;
	struct vpmu_machine machine;
	char why[256];
	int rows = 0;

	(void)state;
	assert_int_equal(vpmu_machine_parse("skl-8c16t", &machine, why, sizeof(why)), 0);
	for (uint32_t i = 0; vpmu_model_register(&machine, i, &info); i++) {
		struct row row;
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(info.name, " "), info.name);
		if (!find(family, name, &row))
			continue;
		rows++;
		assert_int_equal(row.address, info.address);
		assert_int_equal(row.width, info.width);
		assert_int_equal(row.mask, info.mask);
		assert_int_equal(row.access == IPMU_RO, info.access == VPMU_RO);
		assert_int_equal(row.access == IPMU_RW1C, info.access == VPMU_RW1C);
	}
	assert_int_equal(rows, count(family));
}

/* Figures of the document, by hand. */
static void addresses_of_the_document(void **state)
{
	struct row row;

	(void)state;
	assert_true(find(ipmu_families[0], "MSR_UNC_CBO_3_PERFCTR1", &row));
	assert_int_equal(row.address, 0x737);
	assert_true(find(ipmu_families[0], "MSR_UNC_CBO_7_PERFEVTSEL1", &row));
	assert_int_equal(row.address, 0xF71);
	assert_true(find(ipmu_families[0], "MSR_UNC_PERF_GLOBAL_CTRL", &row));
	assert_int_equal(row.address, 0xE01);
	assert_int_equal(row.mask, 0xE000000F);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(engine_has_every_row_of_the_table),
		cmocka_unit_test(engine_and_model_agree),
		cmocka_unit_test(addresses_of_the_document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
