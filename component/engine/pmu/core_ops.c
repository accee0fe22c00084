/* SPDX-License-Identifier: MIT */
#include "core_ops.h"

#include "../why.h"

#include <errno.h>

int ipmu_core_encode(struct ipmu_event *e, const char *event, const char *qualifiers,
		     const char *ours, const uint64_t *codes, int ncodes, char *why)
{
	const struct ipmu_pmu_type *type = e->type;
	struct ipmu_choice *choice = &e->choices[0];

	(void)ours, (void)ncodes;
	if (!(codes[0] & (IPMU_CORE_OS | IPMU_CORE_USR)))
		return ipmu_fail(why, -EINVAL, "%s.%s%s counts at no privilege level: leave u and "
				 "k away for both", type->name, event, qualifiers);
	e->nchoices = 1;
	choice->select = codes[0] & type->select_mask;
	choice->counters = (1ull << type->counters) - 1;
	for (const struct ipmu_constraint *c = type->constraints; c && c->counters; c++)
		if (c->code == (choice->select & 0xFF))
			choice->counters = c->counters;
	return 0;
}

int ipmu_core_program(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		      uint64_t select)
{
	uint64_t found;
	int rc = ipmu_msr_save(p, type->ctr, box, ctr, &found);

	if (rc)
		return rc;
	return ipmu_msr_write(p, type->select, box, ctr, select | type->enable);
}

int ipmu_core_read(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		   uint64_t *raw)
{
	return ipmu_msr_read(p, ipmu_reg_addr(type->ctr, box, ctr), raw);
}

int ipmu_core_settle(struct ipmu_regs *p, const struct ipmu_reg *ctrl,
		     const struct ipmu_reg *status, const struct ipmu_reg *ovf_ctrl, uint64_t mine)
{
	uint64_t found, now;
	int rc;

	if (!ipmu_msr_is_saved(p, status, 0, 0))
		return 0;	/* nothing has been started */
	rc = ipmu_msr_write(p, ctrl, 0, 0, 0);
	if (!rc)
		rc = ipmu_msr_save(p, status, 0, 0, &found);
	if (!rc)
		rc = ipmu_msr_read(p, ipmu_reg_addr(status, 0, 0), &now);
	if (rc || !(now & ~found & mine))
		return rc;
	return ipmu_msr_write(p, ovf_ctrl, 0, 0, now & ~found & mine);
}
