/* SPDX-License-Identifier: MIT */
/* A forged journal can make a process write only registers that events need, and above all none by
 * which the CPU writes memory. Addresses and bits are the documents'. */
#include "access/access.h"
#include "engine_fixture.h"
#include "journal_file.h"
#include "on_machine.h"
#include "pmu/families.h"
#include "registers/allow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct ipmu_journal j, out;

#define PEBS_BITS (3ull << 25)	/* NetBurst: records for this thread and for the other one */

static const struct row {
	const struct ipmu_family *family;
	uint32_t addr;
} never[] = {
	{ &ipmu_netburst, 0x600 }, { &ipmu_netburst_p, 0x600 },	/* IA32_DS_AREA */
	{ &ipmu_core2, 0x3F1 },					/* IA32_PEBS_ENABLE */
	{ &ipmu_nehalem_ex, 0xE54 }, { &ipmu_nehalem_ex, 0xE55 }, { &ipmu_nehalem_ex, 0xE56 },
	{ &ipmu_westmere_ex, 0xE5C }, { &ipmu_westmere_ex, 0xE5D }, { &ipmu_westmere_ex, 0xE5E },
};
#define NEVER (sizeof(never) / sizeof(never[0]))

static void a_journal_cannot_name_them(void **state)
{
	char why[IPMU_WHY_MAX];

	(void)state;
	for (size_t i = 0; i < NEVER; i++) {
		journal_file_init(&j, never[i].family, 0);
		journal_file_add(&j, never[i].family, never[i].addr, 1, 0);
		assert_int_equal(ipmu_journal_check(&j, sizeof(j), never[i].family, 0,
						    j.header.boot_id, &out, why), -EBADMSG);
		/* ... whatever it says about the bits */
		j.saved[0].writable = ~0ull;
		assert_int_equal(ipmu_journal_check(&j, sizeof(j), never[i].family, 0,
						    j.header.boot_id, &out, why), -EBADMSG);
	}
}

static void the_allowlist_has_no_bit_of_them(void **state)
{
	int box, ctr;

	(void)state;
	for (size_t i = 0; i < NEVER; i++) {
		const struct ipmu_reg *const *registers = never[i].family->registers;

		assert_int_equal(ipmu_allow_mask(ipmu_reg_at(registers, never[i].addr, &box,
							     &ctr)), 0);
	}
	assert_int_equal(PEBS_BITS & ipmu_allow_mask(ipmu_reg_at(ipmu_netburst.registers, 0x3F1,
								 &box, &ctr)), 0);
}

static void the_engine_does_not_write_them(void **state)
{
	struct ipmu_regs p = { .msr = -1 };
	int box, ctr;

	(void)state;
	for (size_t i = 0; i < NEVER; i++) {
		const struct ipmu_reg *const *registers = never[i].family->registers;
		const struct ipmu_reg *reg = ipmu_reg_at(registers, never[i].addr, &box, &ctr);

		assert_int_equal(ipmu_msr_write(&p, reg, box, ctr, 0), -EPERM);
		assert_int_equal(ipmu_msr_write(&p, reg, box, ctr, 1), -EPERM);
	}
}

static int opens(const struct engine_fixture *f)
{
	struct ipmu_system *sys;
	char why[IPMU_WHY_MAX] = "";
	int rc = ipmu_system_open(f->topo, IPMU_SCOPE_CPU, &sys, why);

	if (rc)
		print_message("%s\n", why);
	else
		ipmu_system_close(sys);
	return rc;
}

static void put_only(uint32_t addr, uint64_t found, uint64_t now)
{
	journal_file_init(&j, &ipmu_netburst_p, 0);
	journal_file_add(&j, &ipmu_netburst_p, addr, found, now);
	journal_file_put(&j, &ipmu_netburst_p);
}

static void remove_it(void)
{
	char path[4096];

	journal_file_path(&j, &ipmu_netburst_p, path);
	assert_int_equal(unlink(path), 0);
}

static void on_the_machine_nothing_is_written(void **state)
{
	const struct engine_fixture *f = *state;

	put_only(0x600, 0xffff888012345000, 0);
	assert_int_equal(opens(f), -EBADMSG);
	remove_it();
	put_only(0x3F1, 0x7000000, 0);
	assert_int_equal(opens(f), 0);
	remove_it();
	put_only(0x1A0, ~0ull, 0);	/* IA32_MISC_ENABLE is only read */
	assert_int_equal(opens(f), 0);
	assert_int_equal(engine_fixture_peek(f, "IA32_DS_AREA"), 0);
	assert_int_equal(engine_fixture_peek(f, "MSR_PEBS_ENABLE"), 0x1000000);
	engine_fixture_poke(f, "MSR_PEBS_ENABLE", 0);
	assert_int_equal(engine_fixture_changed(f, true), 0);
}

static int set_up(void **state)
{
	static const struct engine_found found[] = { { NULL, 0 } };

	return engine_fixture_open_on(state, IPMU_SCOPE_CPU, found);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_journal_cannot_name_them),
		cmocka_unit_test(the_allowlist_has_no_bit_of_them),
		cmocka_unit_test(the_engine_does_not_write_them),
		cmocka_unit_test(on_the_machine_nothing_is_written),
	};

	(void)argc;
	on_machine(argv, "p4-1c2t");
	return cmocka_run_group_tests(tests, set_up, engine_fixture_close);
}
