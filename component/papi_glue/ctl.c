/* SPDX-License-Identifier: MIT */
/* Options that a client may set on an event set: a CPU to count on, privilege levels,
 * granularity. */
#include "inside.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#define BOTH_LEVELS (PAPI_DOM_USER | PAPI_DOM_KERNEL)

/* Registers of a package have no privilege levels: they count all of them, never a part. */
static int check_domain(struct glue *g, int domain)
{
	char why[IPMU_WHY_MAX];

	if ((domain & BOTH_LEVELS) == BOTH_LEVELS ||
	    (g->scope == IPMU_SCOPE_CPU && (domain & BOTH_LEVELS)))
		return PAPI_OK;
	snprintf(why, sizeof(why), "%s", g->scope == IPMU_SCOPE_CPU ?
		 "a core counts in the user or the kernel domain, or both" :
		 "an uncore counts what all privilege levels do: PAPI_DOM_ALL is its only domain");
	glue_report(g, -EINVAL, why);
	return PAPI_EINVAL_DOM;
}

/* PAPI ors this code with that of the component's start, so only one of them may be a failure. */
int glue_set_domain(hwd_control_state_t *ctl, int domain)
{
	struct glue_options options = *glue_options_of(ctl);
	struct glue *g = glue_of(ctl);
	int rc;

	if (INFO(g).disabled != PAPI_OK)
		return PAPI_OK;
	rc = check_domain(g, domain);
	if (rc != PAPI_OK)
		return rc;
	options.domain = domain;
	return glue_options_change(ctl, &options);
}

/* Attach a set to a CPU. PAPI itself refuses that for a set with an overflow handler, and an
 * overflow handler for an attached set. */
static int attach_cpu(const _papi_int_cpu_t *cpu)
{
	hwd_control_state_t *ctl = cpu->ESI->ctl_state;
	struct glue_options options = *glue_options_of(ctl);

	options.cpu = cpu->cpu_num > INT_MAX ? INT_MAX : (int)cpu->cpu_num;
	return glue_options_change(ctl, &options);
}

int glue_ctl(struct glue *g, hwd_context_t *ctx, int code, _papi_int_option_t *option)
{
	(void)ctx;
	switch (code) {
	case PAPI_DOMAIN:
		return glue_set_domain(option->domain.ESI->ctl_state, option->domain.domain);
	case PAPI_CPU_ATTACH:
		return attach_cpu(&option->cpu);
	case PAPI_DEFDOM:
		return check_domain(g, option->domain.domain);
	case PAPI_GRANUL:
	case PAPI_DEFGRN:
		return option->granularity.granularity == INFO(g).default_granularity ?
		       PAPI_OK : PAPI_ECMP;
	default:
		return PAPI_ENOSUPP;
	}
}
