/* SPDX-License-Identifier: MIT */
/* Qualifiers that make a counter send an interrupt need permission, as nothing here handles one.
 * No other event sends one. */
#include "counting/system.h"
#include "fake_system.h"
#include "pmu/families.h"
#include "pmu/netburst.h"
#include "pmu/nhmex_registers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct {
	const struct ipmu_family *family;
	const char *without, *with;	/* to be appended */
} cases[] = {
	{ &ipmu_knc, "knc.BRANCHES", ":ovf=1" },
	{ &ipmu_knc, "knc.L2_VICTIM_REQ_WITH_DATA:t", ":ovf=1000" },
	{ &ipmu_core2, "core.INSTRUCTION_RETIRED", ":ovf=5" },
	{ &ipmu_core2, "core_fixed.INST_RETIRED:ANY", ":ovf=5" },
	{ &ipmu_core2, "core.UNHALTED_REFERENCE_CYCLES", ":ovf=5" },
	{ &ipmu_arch_core, "core_fixed.CPU_CLK_UNHALTED:CORE", ":ovf=7" },
	{ &ipmu_arch_core, "ix86arch.LLC_MISSES", ":ovf=7" },
	{ &ipmu_skl_core, "skl.INST_RETIRED:ANY_P", ":ovf=9" },
	{ &ipmu_netburst, "netburst.instr_retired:NBOGUSNTAG", ":ovf=2" },
	{ &ipmu_netburst, "netburst.instr_retired:NBOGUSNTAG", ":force_ovf" },
	{ &ipmu_netburst_p, "netburst_p.instr_retired:NBOGUSNTAG:force_ovf=0", ":ovf=100" },
	{ &ipmu_netburst_p, "netburst_p.execution_event:tag=packed_SP", ":force_ovf=1" },
	{ &ipmu_netburst_p, "netburst_p.uops_retired:NBOGUS:start=instr_retired.NBOGUSNTAG:ovf=9",
	  ":force_ovf" },
	{ &ipmu_skl_client_uncore, "skl_unc_cbo.UNC_CBO_CACHE_LOOKUP:ANY_I:freeze=5", NULL },
	{ &ipmu_nehalem_ex, "nhmex_unc_mbox.BBOX_CMDS_ALL:freeze=5", NULL },
	{ &ipmu_nehalem_ex, "nhmex_unc_mbox.RAW:inc_sel=0:pmi_en=1", NULL },
};

static void permission_is_needed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ipmu_system sys = *fake_system(cases[i].family);
		char name[IPMU_NAME_MAX];

		sys.allow_pmi = false;
		assert_false(fake_event(&sys, cases[i].without).interrupts);
		if (!cases[i].with)
			continue;
		snprintf(name, sizeof(name), "%.80s%s", cases[i].without, cases[i].with);
		fake_refuses(&sys, name, -EPERM, "NMI of unknown reason");
		fake_refuses(&sys, name, -EPERM, "stays masked");
		fake_refuses(&sys, name, -EPERM, "set IPMU_ALLOW_PMI=1");
		sys.allow_pmi = true;
		assert_true(fake_event(&sys, name).interrupts);
	}
}

/* A PMI of an M-Box stops the uncore by way of the U-Box and reaches no core. */
static void an_mbox_interrupts_no_core(void **state)
{
	const struct ipmu_system *sys = fake_system(&ipmu_nehalem_ex);
	static const char *const names[] = { "nhmex_unc_mbox.BBOX_CMDS_ALL:freeze=5",
					     "nhmex_unc_mbox.RAW:inc_sel=0:pmi_en=1" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct ipmu_choice c = fake_event(sys, names[i]).choices[0];
		uint64_t none = 0;

		for (int n = 0; n < c.nextra; n++)
			if (c.extra[n].reg == &ipmu_nhmex_u_ctl)
				none |= c.extra[n].mask & ~c.extra[n].value;
		assert_int_equal(none & 0x1E, 0x1E);	/* pmi_core_sel, bits 4:1 */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(permission_is_needed),
		cmocka_unit_test(an_mbox_interrupts_no_core),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
