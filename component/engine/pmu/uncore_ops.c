/* SPDX-License-Identifier: MIT */
#include "uncore_ops.h"

#include "../why.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN 0x2AA55ull

static const struct ipmu_reg *counter_reg(const struct ipmu_pmu_type *type, int ctr, int *index)
{
	*index = type->fixed ? 0 : ctr;
	return type->fixed ? type->fixed[ctr].ctr : type->ctr;
}

int ipmu_msr_program(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box,
		       int ctr, uint64_t select)
{
	int index, rc;
	const struct ipmu_reg *reg = counter_reg(type, ctr, &index);
	uint64_t found;

	rc = ipmu_msr_save(p, reg, box, index, &found);
	if (rc)
		return rc;
	return ipmu_msr_write(p, type->select, box, index, select | type->enable);
}

int ipmu_msr_count_read(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box,
		    int ctr, uint64_t *raw)
{
	int index;
	const struct ipmu_reg *reg = counter_reg(type, ctr, &index);

	return ipmu_msr_count(p, ipmu_reg_addr(reg, box, index), raw);
}

const struct ipmu_ops ipmu_msr_ops = { .program = ipmu_msr_program, .read = ipmu_msr_count_read };

static int window_program(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box,
			  int ctr, uint64_t select)
{
	(void)p, (void)type, (void)box, (void)ctr, (void)select;
	return 0;
}

static int window_read(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box,
		       int ctr, uint64_t *raw)
{
	(void)box;
	*raw = ipmu_window_read(p, type->fixed[ctr].ctr);
	return 0;
}

const struct ipmu_ops ipmu_window_ops = { .program = window_program, .read = window_read };

int ipmu_uncore_freeze(const char *event, const char *ours, int width, uint64_t *n, char *why)
{
	const char *text = strchr(ours, '=');
	char *end = NULL;

	*n = 0;
	if (!*ours)
		return 0;
	errno = 0;
	if (text && isdigit((unsigned char)text[1]))
		*n = strtoull(text + 1, &end, 0);
	if (!*n || *end || errno || *n >> width)
		return ipmu_fail(why, -EINVAL, "%s%s: freeze wants a number of events from 1 to "
				 "2^%d - 1, as in freeze=1000", event, ours, width);
	return 0;
}

int ipmu_msr_probe(struct ipmu_regs *p, const struct ipmu_reg *select,
		   const struct ipmu_reg *ctr, uint64_t enable, char *why)
{
	uint64_t value = 0;
	char name[64];
	int rc;

	if (p->peers)
		return 0;	/* they have tried it */
	ipmu_reg_name(ctr, 0, 1, name);
	rc = ipmu_msr_read(p, ipmu_reg_addr(select, 0, 1), &value);
	if (!rc && (value & enable))
		return 0;	/* in use by someone: leave it alone */
	if (!rc)
		rc = ipmu_msr_write(p, ctr, 0, 1, PATTERN);
	if (!rc)
		rc = ipmu_msr_read(p, ipmu_reg_addr(ctr, 0, 1), &value);
	if (ipmu_access_restore(p) && !rc)
		rc = -EIO;
	if (rc) {
		ipmu_fail(why, 0, "%s: %s (0x%X): %s: a hypervisor refuses it", p->msr_path, name,
			  (unsigned)ipmu_reg_addr(ctr, 0, 1), strerror(-rc));
		ipmu_access_explain(p, rc, why);
		return rc == -EPERM || rc == -EACCES ? rc : -ENXIO;
	}
	if (value != PATTERN)
		return ipmu_fail(why, -ENXIO, "%s: %s does not hold what is written to it: a "
				 "hypervisor gives no counters; run on the machine itself",
				 p->msr_path, name);
	return 0;
}
