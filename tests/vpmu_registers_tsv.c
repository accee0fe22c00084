/* SPDX-License-Identifier: MIT */
/* Every register of the model against the separately transcribed table of facts, and every row
 * of that table against the model. TEST_DATA is the directory of the table. */
#include "vpmu_machine.h"

#ifndef TEST_DATA
#define TEST_DATA "tests/data"
#endif

struct row { char name[64], address[32], access[16], mask[32], scope[32]; unsigned int width; };

#define ROWS_MAX 128
static struct row rows[ROWS_MAX];
static size_t row_count;

static int read_table(void **state)
{
	const char *directory = getenv("TEST_DATA");
	char path[4096], line[1024];
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/skl-client-uncore.registers.tsv",
		 directory ? directory : TEST_DATA);
	f = fopen(path, "r");
	if (!f) {
		fprintf(stderr, "%s: cannot read it; set TEST_DATA\n", path);
		return -1;
	}
	while (fgets(line, sizeof(line), f)) {
		struct row *r = &rows[row_count];

		if (row_count < ROWS_MAX &&
		    sscanf(line, "%63[^\t]\t%31[^\t]\t%u\t%15[^\t]\t%31[^\t]\t%31[^\t]", r->name,
			   r->address, &r->width, r->access, r->mask, r->scope) == 6) {
			r->name[strcspn(r->name, " ")] = '\0';	/* "IMC_BAR (PCI 0:0.0 ...)" */
			row_count++;
		}
	}
	fclose(f);
	return 0;
}

static struct vpmu_machine eight_slices(void)
{
	struct vpmu_machine m;
	char why[128];

	assert_int_equal(vpmu_machine_parse("skl-8c16t", &m, why, sizeof(why)), 0);
	return m;
}

static void every_row_is_in_the_model(void **state)
{
	static const char *const access[] = { "RO", "RW", "RW1C" };
	static const char *const space[] = { "", "pci:00:00.0+", "BAR+" };
	struct vpmu_machine m = eight_slices();
	struct vpmu_register_info info;
	char address[64];

	(void)state;
	assert_int_equal(row_count, 48);
	for (size_t i = 0; i < row_count; i++) {
		if (vpmu_model_find(&m, rows[i].name, &info))
			fail_msg("the model has no %s", rows[i].name);
		snprintf(address, sizeof(address), "%s0x%X", space[info.space], info.address);
		assert_string_equal(info.name, rows[i].name);
		assert_string_equal(address, rows[i].address);
		assert_int_equal(info.width, rows[i].width);
		assert_string_equal(access[info.access], rows[i].access);
		assert_int_equal(info.mask, strtoull(rows[i].mask, NULL, 16));
		assert_string_equal(info.scope, rows[i].scope);
	}
}

static void the_model_has_nothing_else(void **state)
{
	struct vpmu_machine m = eight_slices();
	struct vpmu_register_info info;
	uint32_t count = 0;

	(void)state;
	while (vpmu_model_register(&m, count, &info))
		count++;
	assert_int_equal(count, row_count);
}

/* Each value and the bits that stay, by writing all ones through the device side. */
static void the_masks_are_what_a_write_leaves(void **state)
{
	struct scratch t;
	uint64_t value;

	(void)state;
	scratch_open(&t, "skl-8c16t");
	for (size_t i = 0; i < row_count; i++) {
		uint64_t mask = strtoull(rows[i].mask, NULL, 16);
		uint32_t address = (uint32_t)strtoul(rows[i].address, NULL, 16);

		if (strncmp(rows[i].address, "0x", 2) || strcmp(rows[i].access, "RW"))
			continue;
		assert_int_equal(vpmu_wrmsr(t.s, 0, address, UINT64_MAX), 0);
		assert_int_equal(vpmu_rdmsr(t.s, 0, address, &value), 0);
		assert_int_equal(value, mask);
		assert_int_equal(vpmu_wrmsr(t.s, 0, address, 0), 0);
	}
	scratch_close(&t);
}

static void four_slices_have_sixteen_registers_less(void **state)
{
	struct vpmu_register_info info;
	struct vpmu_machine m;
	uint32_t count = 0;
	char why[128];

	(void)state;
	assert_int_equal(vpmu_machine_parse("skl-4c4t", &m, why, sizeof(why)), 0);
	while (vpmu_model_register(&m, count, &info))
		count++;
	assert_int_equal(count, row_count - 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_in_the_model),
		cmocka_unit_test(the_model_has_nothing_else),
		cmocka_unit_test(the_masks_are_what_a_write_leaves),
		cmocka_unit_test(four_slices_have_sixteen_registers_less),
	};

	return cmocka_run_group_tests(tests, read_table, NULL);
}
