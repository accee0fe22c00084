/* SPDX-License-Identifier: MIT */
#include "core_ops.h"

#include "../base/why.h"

#include <errno.h>

const struct ipmu_own_qualifier ipmu_core_qualifiers[] = {
	{ .name = "ovf", .least = 1, .most = 1ull << 40 }, { 0 },
};

int ipmu_core_period(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
		     uint64_t *n, char *why)
{
	struct ipmu_choice *choice = &e->choices[0];
	int rc = ipmu_period(e->type, event, q, "ovf", n, why);

	if (rc || !*n)
		return rc;
	choice->preset = true;
	choice->preset_value = -*n;
	return 0;
}

int ipmu_core_preset(struct ipmu_regs *p, const struct ipmu_reg *reg, int ctr, uint64_t value,
		     const struct ipmu_reg *ovf_ctrl, uint64_t flag)
{
	int rc = ipmu_msr_write(p, reg, 0, ctr, value);

	return rc ? rc : ipmu_msr_write(p, ovf_ctrl, 0, 0, flag);
}

int ipmu_core_encode(struct ipmu_event *e, const char *event, const struct ipmu_qualifiers *q,
		     const uint64_t *codes, int ncodes, char *why)
{
	char text[IPMU_QUALIFIERS_TEXT];
	const struct ipmu_pmu_type *type = e->type;
	struct ipmu_choice *choice = &e->choices[0];
	uint64_t period;

	(void)ncodes;
	if (!(codes[0] & (IPMU_CORE_OS | IPMU_CORE_USR)))
		return ipmu_fail(why, -EINVAL, "%s.%s%s counts at no privilege level: without u "
				 "and k it counts at both", type->name, event,
				 ipmu_qualifiers_text(q, IPMU_OF_PFM, text));
	e->nchoices = 1;
	choice->select = codes[0] & ipmu_reg_event_bits(type->select);
	choice->counters = (1ull << type->counters) - 1;
	for (const struct ipmu_constraint *c = type->constraints; c && c->counters; c++)
		if (c->code == (choice->select & 0xFF))
			choice->counters = c->counters;
	if (ipmu_core_period(e, event, q, &period, why))
		return -EINVAL;
	choice->select |= period ? IPMU_CORE_INT : 0;
	e->interrupts = period;
	return 0;
}

int ipmu_core_program(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
		      uint64_t select)
{
	int rc = ipmu_msr_write(p, type->ctr, box, ctr, 0);

	return rc ? rc : ipmu_msr_program(p, type, box, ctr, select);
}

int ipmu_core_busy(struct ipmu_regs *p, const struct ipmu_reg *ctrl, const struct ipmu_reg *select,
		   int n, char *why)
{
	uint64_t on, value;
	int rc = 0;

	if (ipmu_msr_is_saved(p, ctrl, 0, 0))
		return 0;
	rc = ipmu_msr_save(p, ctrl, 0, 0, &on);
	for (int c = 0; c < n && !rc; c++) {
		if (!(on >> c & 1))
			continue;
		rc = ipmu_msr_read(p, ipmu_reg_addr(select, 0, c), &value);
		if (!rc && (value & IPMU_CORE_EN))
			rc = ipmu_access_busy(p, select, 0, c, value, why);
	}
	return rc;
}
