/* SPDX-License-Identifier: MIT */
/* Counters with event selects in the memory controllers' window, on two pages of this program:
 * only documented bits are written, each register is recorded before it is, and all are as they
 * were afterwards. Addresses are those of facts/client-uncores/registers.tsv. */
#include "pmu/client_uncore.h"
#include "base/why.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

enum { PAGE = 0x1000, FIRST = 0xD000, STEP = 0x10000, BOX_CTL = 0xD9C4, SELECT = 0xD9D0,
       COUNTER = 0xD9E8, GLOBAL = 0x1D9C0, COUNTERS = 5 };
/* Bits that no document gives to a select. */
#define NOT_OURS 0xA0000000u

static _Alignas(PAGE) unsigned char pages[2][PAGE], before[2][PAGE];
static struct ipmu_regs regs;
static int recorded;

static void *at(uint32_t addr)
{
	return &pages[addr / STEP][addr % STEP - FIRST];
}

static uint32_t get(uint32_t addr)
{
	uint32_t value;

	memcpy(&value, at(addr), sizeof(value));
	return value;
}

static void set(uint32_t addr, uint64_t value, size_t bytes)
{
	memcpy(at(addr), &value, bytes);
}

/* A counter is recorded while it still holds its old value, or once it is marked as written. */
static int record(struct ipmu_regs *p, int i)
{
	const struct ipmu_saved *s = &p->saved[i];

	assert_int_equal(s->reg->space, IPMU_MMIO);
	assert_true(s->now == s->found || !s->reg->counter ||
		    s->state != IPMU_SAVED_FOUND);
	recorded++;
	return 0;
}

static const struct ipmu_pmu_type *type_named(const char *name)
{
	for (const struct ipmu_pmu_type *const *t = ipmu_adl_client_uncore.types; *t; t++)
		if (strcmp((*t)->name, name) == 0)
			return *t;
	fail_msg("no %s", name);
	return NULL;
}

static const struct ipmu_pmu_type *imc(void)
{
	return type_named("adl_unc_imc");
}

static int index_of(const struct ipmu_pmu_type *type)
{
	int i = 0;

	while (ipmu_adl_client_uncore.types[i] != type)
		i++;
	return i;
}

/* Frozen boxes, selects with bits that are not ours, and counts. */
static int begin(void **state)
{
	(void)state;
	memset(pages, 0, sizeof(pages));
	memset(&regs, 0, sizeof(regs));
	for (uint32_t box = 0; box < 2; box++) {
		set(BOX_CTL + box * STEP, 1, 4);
		for (uint32_t c = 0; c < COUNTERS; c++) {
			set(SELECT + box * STEP + 4 * c, NOT_OURS | c, 4);
			set(COUNTER + box * STEP + 8 * c, 0x123456789ABCull * (c + 1), 8);
		}
		regs.windows[box] = (struct ipmu_window){ .page = pages[box], .writable = true,
							  .first = FIRST + box * STEP };
	}
	memcpy(before, pages, sizeof(pages));
	regs.registers = ipmu_adl_client_uncore.registers;
	regs.layout = ipmu_adl_client_uncore.layout;
	regs.quiesce = ipmu_adl_client_uncore.quiesce;
	regs.record = record;
	regs.msr = -1;
	recorded = 0;
	return 0;
}

static void program(int box, int ctr, uint64_t select)
{
	assert_int_equal(imc()->ops->program(&regs, imc(), box, ctr, select), 0);
}

static void run(int box, uint32_t counters)
{
	struct ipmu_activity a = { 0 };

	a.active[index_of(imc())][box] = counters;
	assert_int_equal(ipmu_client_window_control(&regs, &a), 0);
}

/* 2 box controls, 2 x 5 selects, 2 x 5 counters and the global control, whose reset takes them. */
static void all_is_saved_before_the_reset(void **state)
{
	(void)state;
	program(0, 2, 0x22);
	assert_int_equal(regs.nsaved, 2 + 10 + 10 + 1);
	assert_int_equal(regs.saved[regs.nsaved - 1].addr, GLOBAL);
	assert_true(recorded > regs.nsaved);
	assert_int_equal(get(GLOBAL), 0x6);
	assert_int_equal(get(SELECT + 8), NOT_OURS | 0x22);
	recorded = 0;
	set(GLOBAL, 0, 4);
	program(1, 4, 0x40001);
	assert_int_equal(get(GLOBAL), 0);	/* not again */
	assert_int_equal(get(SELECT + STEP + 16), NOT_OURS | 0x40001);
	assert_int_equal(recorded, 1);
	assert_int_equal(ipmu_access_restore(&regs), 0);
	assert_memory_equal(pages, before, sizeof(pages));
	assert_int_equal(regs.nsaved, 0);
}

static void a_box_runs_while_it_counts(void **state)
{
	(void)state;
	program(0, 0, 0x22);
	program(1, 0, 0x22);
	assert_int_equal(get(BOX_CTL) + get(BOX_CTL + STEP), 2);
	run(1, 1);
	assert_int_equal(get(BOX_CTL), 1);
	assert_int_equal(get(BOX_CTL + STEP), 0);
	run(0, 1);
	assert_int_equal(get(BOX_CTL), 0);
	assert_int_equal(get(BOX_CTL + STEP), 1);
	assert_int_equal(ipmu_access_restore(&regs), 0);
	assert_memory_equal(pages, before, sizeof(pages));
}

/* Found running, a box runs again afterwards; meanwhile its counter has moved. */
static void what_ran_runs_again(void **state)
{
	(void)state;
	set(BOX_CTL, 0, 4);
	memcpy(before, pages, sizeof(pages));
	program(0, 1, 0x23);
	assert_int_equal(get(BOX_CTL), 1);
	set(COUNTER + 8, 77, 8);
	assert_int_equal(ipmu_access_restore(&regs), 0);
	assert_memory_equal(pages, before, sizeof(pages));
}

static void counts_have_64_bits(void **state)
{
	uint64_t raw;

	(void)state;
	set(COUNTER + STEP + 32, 0xFEDCBA9876543210, 8);
	assert_int_equal(imc()->ops->read(&regs, imc(), 1, 4, &raw), 0);
	assert_int_equal(raw, 0xFEDCBA9876543210);
	assert_int_equal(ipmu_type_width(imc()), 64);
	set(0x1D8A0, 0xFEDCBA9876543211, 8);
	assert_int_equal(type_named("adl_unc_imc_free_running")->ops->read(&regs,
			 type_named("adl_unc_imc_free_running"), 0, 5, &raw), 0);
	assert_int_equal(raw, 0xFEDCBA9876543211);
}

static void reserved_bits_are_refused(void **state)
{
	(void)state;
	assert_int_equal(ipmu_msr_write(&regs, imc()->select, 0, 0, 1u << 22), -EINVAL);
	assert_int_equal(ipmu_msr_write(&regs, &ipmu_adl_imc_box_ctl, 0, 0, 2), -EINVAL);
	assert_int_equal(ipmu_msr_write(&regs, &ipmu_adl_imc_global_ctl, 0, 0, 1), -EINVAL);
	assert_int_equal(ipmu_msr_write(&regs, &ipmu_adl_imc_data[0], 0, 0, 0), -EPERM);
	assert_memory_equal(pages, before, sizeof(pages));
}

static void what_others_wrote_is_left_alone(void **state)
{
	char why[IPMU_WHY_MAX];

	(void)state;
	program(0, 3, 0x24);
	set(SELECT + 12, NOT_OURS | 0x25, 4);
	assert_int_equal(ipmu_access_restore(&regs), -ESTALE);
	assert_int_equal(get(SELECT + 12), NOT_OURS | 0x25);
	assert_int_equal(regs.left.addr, SELECT + 12);
	ipmu_access_explain_left(&regs, why);
	assert_non_null(strstr(why, "/dev/mem: MC0_PERFEVTSEL3 (0xD9DC) is 0xa0000025, not "
			       "0xa0000024 as it was written last"));
}

/* The kernel's uncore_imc_0 counts like that. */
static void whoever_counts_there_is_seen(void **state)
{
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	assert_int_equal(ipmu_client_busy(&regs, imc(), 0, 0, why), 0);	/* frozen */
	set(BOX_CTL + STEP, 0, 4);
	set(SELECT + STEP, NOT_OURS, 4);
	assert_int_equal(ipmu_client_busy(&regs, imc(), 0, 0, why), -EBUSY);
	assert_non_null(strstr(why, "/dev/mem: MC1_PERFEVTSEL1 (0x1D9D4) is 0xa0000001: somebody"));
	for (uint32_t c = 0; c < COUNTERS; c++)
		set(SELECT + STEP + 4 * c, NOT_OURS, 4);
	assert_int_equal(ipmu_client_busy(&regs, imc(), 0, 0, why), 0);
	assert_int_equal(regs.nsaved, 0);
}

static void without_the_right_to_write(void **state)
{
	const struct ipmu_client_unit unit = { .type = imc(), .boxes = IPMU_CLIENT_WINDOW,
					       .box_ctl = &ipmu_adl_imc_box_ctl };
	char why[IPMU_WHY_MAX] = "";

	(void)state;
	assert_int_equal(ipmu_client_window_boxes(&regs, &unit, why), 2);
	regs.windows[1].writable = false;
	assert_int_equal(ipmu_client_window_boxes(&regs, &unit, why), 0);
	assert_non_null(strstr(why, "/dev/mem: the memory controllers' selects cannot be written"));
	assert_int_equal(imc()->ops->program(&regs, imc(), 0, 0, 0x22), -EACCES);
	assert_int_equal(ipmu_access_explain(&regs, -EACCES, why), -EACCES);
	assert_non_null(strstr(why, "/dev/mem: MC1_GLOBAL_CTL cannot be written"));
	assert_int_equal(ipmu_access_restore(&regs), 0);
	assert_memory_equal(pages, before, sizeof(pages));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(all_is_saved_before_the_reset, begin),
		cmocka_unit_test_setup(a_box_runs_while_it_counts, begin),
		cmocka_unit_test_setup(what_ran_runs_again, begin),
		cmocka_unit_test_setup(counts_have_64_bits, begin),
		cmocka_unit_test_setup(reserved_bits_are_refused, begin),
		cmocka_unit_test_setup(what_others_wrote_is_left_alone, begin),
		cmocka_unit_test_setup(whoever_counts_there_is_seen, begin),
		cmocka_unit_test_setup(without_the_right_to_write, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
