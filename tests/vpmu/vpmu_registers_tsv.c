/* SPDX-License-Identifier: MIT */
/* Every register of the model against the separately transcribed tables of facts, and every row of
 * those tables against the model. TEST_DATA is the directory of the tables. */
#include "vpmu_machine.h"

#include "tsv.h"

/* A row per table: the machine that has its registers, and how many other registers it has. The
 * machine lacks those whose names or addresses contain `absent`, and those of CBos that it has not.
 * Where a table has several generations, `generation` selects one. */
struct table {
	const char *file, *machine;
	uint32_t rows, others;
	const char *absent, *generation;
};
#define CORES 27	/* of Skylake's cores with two threads: arch-core/registers.tsv */
#define CLIENTS "client-uncores/registers.tsv"

#define TABLES_MAX 32
static struct table tables[TABLES_MAX] = {
	{ "skl-client-uncore/registers.tsv", "skl-8c16t", 48, CORES, NULL, NULL },
	{ "knc/registers.tsv", "knc-4c16t", 9, 0, NULL, NULL },
	/* IA32_DEBUGCTL, for the freeze */
	{ "core2-fixed/registers.tsv", "core2-2c", 13, 1, NULL, NULL },
	/* IA32_PEBS_ENABLE, of the cores */
	/* ... and C-Boxes 8 and 9, which a Xeon E7 has, at 0xF40 and 0xFC0 */
	{ "nehalem-ex-mbox/registers.tsv", "nhmex-1p8c16t", 55 + 8 * 15, 1, "0xF", NULL },
	{ "netburst/registers.tsv", "p4-1c2t", 84, 0, "MSR_IQ_ESCR", NULL },	/* models 0 to 2 */
};

/* The rows of clients.tsv that have numbers of registers become tables. */
static int client_tables(void **state)
{
	struct table *to = tables;
	struct tsv t;

	(void)state;
	while (to->file)
		to++;
	for (tsv_open(&t, "clients.tsv"); tsv_next(&t);) {
		if (strcmp(tsv_cell(&t, "registers"), "-") == 0)
			continue;
		assert_true(to < &tables[TABLES_MAX - 1]);
		*to++ = (struct table){ .file = CLIENTS, .machine = strdup(tsv_cell(&t, "machine")),
			.generation = strdup(tsv_cell(&t, "generation")),
			.rows = (uint32_t)tsv_number(&t, "registers"),
			.others = (uint32_t)tsv_number(&t, "others") };
	}
	return to == tables;
}

#define ROWS_MAX 192
struct row { char name[64], address[32], access[16], mask[32], scope[32]; uint64_t width; };
static struct row rows[ROWS_MAX];
static uint32_t row_count;

static void copy(char *to, size_t bytes, const struct tsv *t, const char *column)
{
	assert_true((size_t)snprintf(to, bytes, "%s", tsv_cell(t, column)) < bytes);
}

static void read_row(const struct tsv *t, struct row *r)
{
	copy(r->name, sizeof(r->name), t, "register");
	copy(r->address, sizeof(r->address), t, "address");
	copy(r->access, sizeof(r->access), t, "access");
	copy(r->mask, sizeof(r->mask), t, "writemask");
	copy(r->scope, sizeof(r->scope), t, "scope");
	r->width = tsv_number(t, "width");
	r->name[strcspn(r->name, " ")] = '\0';	/* "IMC_BAR (PCI 0:0.0 ...)" */
}

static struct vpmu_machine machine_named(const char *name)
{
	struct vpmu_machine m;
	char why[128];

	assert_int_equal(vpmu_machine_parse(name, &m, why, sizeof(why)), 0);
	return m;
}

static void read_table(const struct table *table)
{
	uint32_t slice;
	struct tsv t;

	row_count = 0;
	for (tsv_open(&t, table->file); tsv_next(&t);) {
		struct row *r = &rows[row_count];

		assert_true(row_count < ROWS_MAX);
		if (table->generation && !tsv_has(&t, "generation", table->generation))
			continue;
		if (table->absent && (strstr(tsv_cell(&t, "register"), table->absent) ||
				      strstr(tsv_cell(&t, "address"), table->absent)))
			continue;
		if (sscanf(tsv_cell(&t, "scope"), "package/CBo %u", &slice) == 1 &&
		    slice >= machine_named(table->machine).slices)
			continue;
		row_count++;
		read_row(&t, r);
	}
	if (row_count != table->rows)
		fail_msg("%s has %u rows for %s, not %u", table->file, row_count, table->machine,
			 table->rows);
}

/* The uncore's table has its own bit of IA32_DEBUGCTL, the cores' has others, of which one is for
 * counting. */
static uint64_t mask_of(const struct vpmu_machine *m, const struct row *r)
{
	bool both = strcmp(r->name, "IA32_DEBUGCTL") == 0 && strncmp(m->name, "skl", 3) == 0;

	return strtoull(r->mask, NULL, 16) | (both ? 1 << 12 : 0);
}

/* The place of a register by the machine's discovery table: a unit's control, select or counter, or
 * the control of all, as an offset into the window. */
static uint32_t by_discovery(const struct vpmu_machine *m, const char *address)
{
	const struct row *discovery = rows;
	unsigned type, number, i, found = 0;
	uint64_t base, bytes, table, at = 0;
	const uint64_t *entry;
	struct scratch t;
	char what[16];

	while (!strstr(discovery->name, "_DISCOVERY_MSR"))
		assert_true(++discovery < rows + row_count);
	scratch_open(&t, m->name);
	vpmu_mmio_window(t.s, &base, &bytes);
	assert_int_equal(vpmu_rdmsr(t.s, 0, (uint32_t)strtoul(discovery->address, NULL, 16),
				    &table), 0);
	assert_in_range(table, base, base + bytes - 1);
	entry = (const void *)(vpmu_package_mmio(t.s, 0) + (table - base));
	if (strcmp(address, "table:global") == 0)
		at = entry[1];
	else
		assert_true(sscanf(address, "table:%u.%u+%15s %u", &type, &number, what, &i) >= 3);
	for (uint64_t stride = entry[0] >> 8 & 0xFF, left = entry[0] >> 16 & 0x3FF; !at && left;
	     left--) {
		entry += stride;
		if ((entry[2] & 0xFFFF) != type || found++ != number)
			continue;
		assert_int_equal(entry[0] >> 62, 1);
		assert_true(strcmp(what, "control") == 0 || i < (entry[0] & 0xFF));
		at = entry[1];
		if (strcmp(what, "select") == 0)
			at += (entry[0] >> 8 & 0xFF) + 4 * i;
		else if (strcmp(what, "counter") == 0)
			at += (entry[0] >> 24 & 0xFF) + 8 * i;
	}
	assert_in_range(at, base, base + bytes - 1);
	scratch_close(&t);
	return (uint32_t)(at - base);
}

static void check_row(const struct vpmu_machine *m, const struct row *r)
{
	static const char *const access[] = {
		[VPMU_RO] = "RO", [VPMU_RW] = "RW", [VPMU_RW1C] = "RW1C", [VPMU_WO] = "WO",
	};
	static const char *const space[] = { "", "pci:00:00.0+" };
	struct vpmu_register_info info;
	char address[64], has_access[16];	/* without the doubt of "RW1C?" */
	const char *base;
	uint32_t behind;

	snprintf(has_access, sizeof(has_access), "%.*s", (int)strcspn(r->access, "?"), r->access);
	if (vpmu_model_find(m, r->name, &info))
		fail_msg("the model has no %s", r->name);
	base = vpmu_mmio_base(info.address, &behind);
	if (info.space == VPMU_MMIO)
		snprintf(address, sizeof(address), "%s+0x%X", base, behind);
	else
		snprintf(address, sizeof(address), "%s0x%X", space[info.space], info.address);
	assert_string_equal(info.name, r->name);
	if (strncmp(r->address, "table:", 6) == 0)
		assert_int_equal(info.address, by_discovery(m, r->address));
	else if (strcmp(address, r->address))
		fail_msg("%s of %s is at %s, in the table at %s", r->name, m->name, address,
			 r->address);
	assert_int_equal(info.width, r->width);
	assert_string_equal(access[info.access], has_access);
	if (strcmp(r->mask, "unknown"))
		assert_int_equal(info.mask, mask_of(m, r));
	assert_string_equal(info.scope, r->scope);
}

static void every_row_is_in_the_model(void **state)
{
	(void)state;
	for (size_t n = 0; tables[n].file; n++) {
		struct vpmu_machine m = machine_named(tables[n].machine);

		read_table(&tables[n]);
		for (uint32_t i = 0; i < row_count; i++)
			check_row(&m, &rows[i]);
	}
}

/* Registers that both have, of generations whose registers are not all modelled; without those that
 * differ by model. */
static void check_common(const char *machine, const char *generation)
{
	struct vpmu_machine m = machine_named(machine);
	struct vpmu_register_info info;
	uint32_t common = 0;
	struct tsv t;

	for (tsv_open(&t, CLIENTS); tsv_next(&t);) {
		struct row r;

		read_row(&t, &r);
		if (!tsv_has(&t, "generation", generation) ||
		    strstr(tsv_cell(&t, "scope"), ", model ") ||
		    vpmu_model_find(&m, r.name, &info))
			continue;
		check_row(&m, &r);
		common++;
	}
	assert_true(common >= 5);
}

static void common_registers_of_other_generations(void **state)
{
	struct tsv t;

	(void)state;
	for (tsv_open(&t, "clients.tsv"); tsv_next(&t);)
		if (strcmp(tsv_cell(&t, "registers"), "-") == 0)
			check_common(tsv_cell(&t, "machine"), tsv_cell(&t, "generation"));
}

static uint32_t registers_of(const char *machine)
{
	struct vpmu_machine m = machine_named(machine);
	struct vpmu_register_info info;
	uint32_t count = 0;

	while (vpmu_model_register(&m, count, &info))
		count++;
	return count;
}

static void the_model_has_nothing_else(void **state)
{
	(void)state;
	for (size_t n = 0; tables[n].file; n++)
		if (registers_of(tables[n].machine) != tables[n].rows + tables[n].others)
			fail_msg("%s has %u registers, not %u and %u others", tables[n].machine,
				 registers_of(tables[n].machine), tables[n].rows,
				 tables[n].others);
}

/* The value that a register has after a write of all ones. */
static uint64_t all_ones(const struct vpmu_machine *m, const struct row *r)
{
	if (strncmp(r->name, "IA32_PMC", 8) == 0)	/* bit 31 is repeated up to bit 39 */
		return UINT64_C(0xffffffffff);
	if (strstr(r->name, "_PMU_ISS"))	/* bits 9:4, known from programs only, are kept */
		return 0x3ff;
	if (strcmp(r->name, "MSR_PEBS_ENABLE") == 0)	/* with 15 and 16, of Table 19-33 */
		return 0x7019fff;
	if (strstr(r->address, "BAR+") && strstr(r->name, "PERFEVTSEL"))
		return mask_of(m, r) & ~UINT64_C(0x20000);	/* RST clears itself */
	return mask_of(m, r);
}

/* The offset in the window: the table counts from the address in one of the host bridge's two
 * registers. */
static uint32_t offset_of(struct vpmu_segment *s, const struct row *r)
{
	uint64_t window, bytes, bar, at = strtoull(strchr(r->address, '+') + 1, NULL, 16);

	vpmu_mmio_window(s, &window, &bytes);
	assert_int_equal(vpmu_pci_read(s, *r->address == 'S' ? 0x68 : 0x48, &bar, sizeof(bar)), 0);
	assert_int_equal(bar & 0xfff, 1);
	at += bar - 1 - window;
	assert_true(at < bytes);
	return (uint32_t)at;
}

/* In the window; a select or counter of 64 bits in two halves. */
static void write_ones_there(struct vpmu_segment *s, const struct row *r)
{
	uint32_t offset = offset_of(s, r);
	uint64_t value = 0;

	for (uint32_t done = 0; done < r->width; done += 32)
		vpmu_mmio_write(s, 0, offset + done / 8, UINT32_MAX, 4);
	memcpy(&value, vpmu_package_mmio(s, 0) + offset, r->width / 8);
	assert_int_equal(value, all_ones(&s->machine, r));
	vpmu_mmio_write(s, 0, offset, 0, (uint32_t)r->width / 8);
	memcpy(&value, vpmu_package_mmio(s, 0) + offset, r->width / 8);
	assert_int_equal(value, 0);
}

static void write_ones(struct vpmu_segment *s, const struct row *r)
{
	uint32_t address = (uint32_t)strtoul(r->address, NULL, 16);
	uint64_t value;

	assert_int_equal(vpmu_wrmsr(s, 0, address, UINT64_MAX), 0);
	assert_int_equal(vpmu_rdmsr(s, 0, address, &value), 0);
	assert_int_equal(value, all_ones(&s->machine, r));
	assert_int_equal(vpmu_wrmsr(s, 0, address, 0), 0);
	assert_int_equal(vpmu_rdmsr(s, 0, address, &value), 0);
	assert_int_equal(value, 0);
}

/* Each value and the bits that stay, by writing all ones through the device side. */
static void the_masks_are_what_a_write_leaves(void **state)
{
	(void)state;
	for (size_t n = 0; tables[n].file; n++) {
		struct scratch t;

		read_table(&tables[n]);
		scratch_open(&t, tables[n].machine);
		for (uint32_t i = 0; i < row_count; i++)
			if (strstr(rows[i].address, "BAR+") &&
			    strcmp(rows[i].access, "RW") == 0)
				write_ones_there(t.s, &rows[i]);
			else if (strncmp(rows[i].address, "0x", 2) == 0 &&
				 strcmp(rows[i].access, "RW") == 0 && strcmp(rows[i].mask, "0x0") &&
				 strcmp(rows[i].mask, "unknown"))
				write_ones(t.s, &rows[i]);
		scratch_close(&t);
	}
}

/* In a window full of ones a query reads a register's own bits, and sets no others. */
static void check_query(struct vpmu_segment *s, const struct vpmu_register_info *info)
{
	uint8_t *window = vpmu_package_mmio(s, 0);
	uint64_t ones = info->width < 64 ? (UINT64_C(1) << info->width) - 1 : UINT64_MAX, value;
	uint32_t bytes = info->width <= 32 ? 4 : 8, changed = 0;

	memset(window, 0xff, s->mmio_bytes);
	assert_int_equal(vpmu_model_peek(s, 0, info, &value), 0);
	if (value != ones)
		fail_msg("%s: %s reads 0x%llx", s->machine.name, info->name,
			 (unsigned long long)value);
	window[info->address + bytes] = 0x5a;
	assert_int_equal(vpmu_model_poke(s, 0, info, 0), 0);
	for (uint32_t i = 0; i < bytes; i++)
		changed += window[info->address + i] == 0;
	assert_int_equal(changed, bytes);
	assert_int_equal(window[info->address + bytes], 0x5a);
}

static void a_query_keeps_to_its_register(void **state)
{
	(void)state;
	for (size_t n = 0; tables[n].file; n++) {
		struct vpmu_register_info info;
		struct scratch t;

		scratch_open(&t, tables[n].machine);
		for (uint32_t i = 0; vpmu_model_register(&t.s->machine, i, &info); i++)
			if (info.space == VPMU_MMIO && strstr(info.name, "DRAM_"))
				check_query(t.s, &info);
		scratch_close(&t);
	}
}

static void four_slices_have_sixteen_registers_less(void **state)
{
	(void)state;
	assert_int_equal(registers_of("skl-8c16t"), 48 + CORES);
	assert_int_equal(registers_of("skl-4c8t"), 48 + CORES - 16);
}

/* ---- the PMU of the cores ---- */

/* Registers of the table that are of no use here: samples, and what is not documented for all. */
static bool is_left_out(const char *name)
{
	static const char *const names[] = {
		"IA32_DEBUGCTL", "MSR_PERF_", "MSR_TSX_", "IA32_PMC_",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* "2-", "2-3" or "6". */
static bool covers(const char *versions, int version)
{
	char *end;
	long first = strtol(versions, &end, 10), last = first;

	if (*end == '-')
		last = end[1] ? strtol(end + 1, NULL, 10) : 99;
	return first <= version && version <= last;
}

/* The number at the end of a counter's name is less than that of such counters. */
static bool is_there(const char *name, uint32_t general, uint32_t fixed)
{
	size_t n = strcspn(name, "0123456789");	/* of IA32 */
	const char *number = name + n + 2 + strcspn(name + n + 2, "0123456789");

	return !*number || (uint32_t)atoi(number) < (strstr(name, "FIXED") ? fixed : general);
}

static void check_cores(const char *machine, uint32_t general, uint32_t expected)
{
	struct vpmu_machine m = machine_named(machine);
	struct vpmu_register_info info;
	uint32_t n = 0;
	struct tsv t;

	for (tsv_open(&t, "arch-core/registers.tsv"); tsv_next(&t);) {
		struct row r;

		read_row(&t, &r);
		if (is_left_out(r.name) || !covers(tsv_cell(&t, "versions"), 4))
			continue;
		if (!is_there(r.name, general, 3)) {
			assert_int_not_equal(vpmu_model_find(&m, r.name, &info), 0);
			continue;
		}
		if (general == 8 && strstr(r.mask, "70000000F"))	/* as its note says */
			strcpy(strstr(r.mask, "70000000F"), "7000000FF");
		check_row(&m, &r);
		n++;
	}
	assert_int_equal(n, expected);
}

static void the_cores_have_what_cpuid_says(void **state)
{
	(void)state;
	check_cores("skl-4c8t", 4, CORES);
	check_cores("skl-4c4t", 8, CORES + 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_in_the_model),
		cmocka_unit_test(common_registers_of_other_generations),
		cmocka_unit_test(the_model_has_nothing_else),
		cmocka_unit_test(the_masks_are_what_a_write_leaves),
		cmocka_unit_test(a_query_keeps_to_its_register),
		cmocka_unit_test(four_slices_have_sixteen_registers_less),
		cmocka_unit_test(the_cores_have_what_cpuid_says),
	};

	return cmocka_run_group_tests(tests, client_tables, NULL);
}
