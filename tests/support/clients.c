/* SPDX-License-Identifier: MIT */
#include "clients.h"

#include "on_machine.h"
#include "pmu/families.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

const struct client_generation client_generations[] = {
	{ "SNB", "snb", "snb-4c8t", &ipmu_snb_client_uncore, 43, .clock = "clk" },
	{ "IVB", "ivb", "ivb-4c8t", &ipmu_ivb_client_uncore, 43, .clock = "clk" },
	{ "HSW", "hsw", "hsw-4c8t", &ipmu_hsw_client_uncore, 37, .clock = "clk" },
	{ "BDW", "bdw", "bdw-4c8t", &ipmu_bdw_client_uncore, 28, .clock = "clk" },
	{ "ICL", "icl", "icl-4c8t", &ipmu_icl_client_uncore, 8, .clock = "clk" },
	{ "TGL", "tgl", "tgl-4c8t", &ipmu_tgl_client_uncore, 18, "0x8C", 0xD800, .clock = "clk" },
	{ "TGL", "tgl", "tglh-8c16t", &ipmu_tglh_client_uncore, 18, "0x8D", 0x5000,
	  .clock = "clk" },
	{ "RKL", "rkl", "rkl-8c16t", &ipmu_rkl_client_uncore, 14, .clock = "clk" },
	{ "ADL", "adl", "adl-8p8e24t", &ipmu_adl_client_uncore, 41, .clock = "clk",
	  .select = "MSR_UNC_ARB_0_PERFEVTSEL1", .unconfirmed = true },
	{ "ADL", "adl", "adln-8e8t", &ipmu_adl_client_uncore, 39, .clock = "clk",
	  .select = "MSR_UNC_ARB_0_PERFEVTSEL1" },
	{ "MTL", "mtl", "mtl-6p8e2lp22t", &ipmu_mtl_client_uncore, 34, .clock = "cncu",
	  .select = "MSR_UNC_HAC_ARB_0_PERFEVTSEL0", .unconfirmed = true },
	{ "ARL", "arl", "arl-8p16e24t", &ipmu_arl_client_uncore, 32, .clock = "cncu",
	  .select = "MSR_UNC_HAC_ARB_0_PERFEVTSEL0" },
	{ "LNL", "lnl", "lnl-4p4e8t", &ipmu_lnl_client_uncore, 33, .clock = NULL },
	{ "PTL", "ptl", "ptl-4p8e4lp16t", &ipmu_ptl_client_uncore, 34, .clock = "cncu",
	  .select = "MSR_UNC_CNCU_0_FIXED_CTRL", .clock_only = true },
	{ "NVL", "nvl", "nvl-8p16e4lp28t", &ipmu_nvl_client_uncore, 11, .clock = NULL },
};
#define GENERATIONS (sizeof(client_generations) / sizeof(client_generations[0]))
const size_t client_generation_count = GENERATIONS;

const struct client_generation *client_here(const struct engine_fixture *f)
{
	for (size_t i = 0; i < GENERATIONS; i++)
		if (strcmp(client_generations[i].machine, f->segment->machine.name) == 0)
			return &client_generations[i];
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
	int worst = 0, status;

	if (getenv("VPMU_SEGMENT"))
		return -1;
	for (size_t i = 0; i < GENERATIONS; i++) {
		pid_t child = fork();

		if (child == 0) {
			if (client_generations[i].unconfirmed)
				setenv("LIBPFM_CLIENT_UNCONFIRMED", "1", 1);
			on_machine(argv, client_generations[i].machine);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
			return 1;
		worst = WEXITSTATUS(status) > worst ? WEXITSTATUS(status) : worst;
	}
	return worst;
}
