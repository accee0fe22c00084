/* SPDX-License-Identifier: MIT */
/* Operations for the two kinds of counters, MSRs with an event select and registers in the memory
 * controllers' window, that several families share. ipmu_msr_probe() tries a counter during
 * discovery; ipmu_msr_quiesce() stops the counters before registers are restored. The caller holds
 * the system's lock and has entered the unit. Reads of counters and ipmu_msr_quiesce() are
 * async-signal-safe. */
#include "counter_ops.h"

#include "../base/why.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PATTERN 0x2AA55ull

int ipmu_msr_program(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box,
		       int ctr, uint64_t select)
{
	int index, rc;
	const struct ipmu_reg *reg = ipmu_type_counter(type, ctr, &index);
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
	const struct ipmu_reg *reg = ipmu_type_counter(type, ctr, &index);

	return ipmu_msr_count(p, ipmu_reg_addr(reg, box, index), raw);
}

int ipmu_program_nothing(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
			 uint64_t select)
{
	(void)p, (void)type, (void)box, (void)ctr, (void)select;
	return 0;
}

int ipmu_window_count_read(struct ipmu_regs *p, const struct ipmu_pmu_type *type, int box, int ctr,
			   uint64_t *raw)
{
	int index;
	const struct ipmu_reg *reg = ipmu_type_counter(type, ctr, &index);

	*raw = ipmu_window_read(p, reg, ipmu_reg_addr(reg, box, index));
	return 0;
}

const struct ipmu_ops ipmu_window_ops = {
	.program = ipmu_program_nothing, .read = ipmu_window_count_read,
};

int ipmu_msr_clear_flags(struct ipmu_regs *p, const struct ipmu_reg *status,
			 const struct ipmu_reg *ovf_ctrl, uint64_t mine)
{
	uint64_t found, now;
	int rc = ipmu_msr_save(p, status, 0, 0, &found);

	if (!rc)
		rc = ipmu_msr_read(p, ipmu_reg_addr(status, 0, 0), &now);
	if (rc || !(now & ~found & mine))
		return rc;
	return ipmu_msr_write(p, ovf_ctrl, 0, 0, now & ~found & mine);
}

int ipmu_msr_quiesce(struct ipmu_regs *p, const struct ipmu_reg *ctrl,
		    const struct ipmu_reg *status, const struct ipmu_reg *ovf_ctrl, uint64_t mine)
{
	int rc;

	if (!ipmu_msr_is_saved(p, ctrl, 0, 0))
		return 0;	/* nothing has been started */
	rc = ipmu_msr_write(p, ctrl, 0, 0, 0);
	if (rc || !ipmu_msr_is_saved(p, status, 0, 0) || ipmu_access_is_left(p, ctrl, 0, 0))
		return rc;
	return ipmu_msr_clear_flags(p, status, ovf_ctrl, mine);
}

int ipmu_number(const char *text, uint64_t max, uint64_t *n)
{
	char *end;

	errno = 0;
	*n = strtoull(text, &end, 0);
	return !isdigit((unsigned char)*text) || *end || errno || *n > max ? -EINVAL : 0;
}

static uint64_t most(const struct ipmu_pmu_type *type, const char *qualifier)
{
	for (const struct ipmu_own_qualifier *q = type->qualifiers; q && q->name; q++)
		if (strcasecmp(q->name, qualifier) == 0)
			return q->most;
	return 0;
}

int ipmu_period(const struct ipmu_pmu_type *type, const char *event,
		const struct ipmu_qualifiers *given, const char *key, uint64_t *n, char *why)
{
	const struct ipmu_qualifier *q = ipmu_qualifiers_own(given, key);
	uint64_t max = most(type, key);

	*n = 0;
	if (!q)
		return 0;
	if (q->value && ipmu_number(q->value, max, n) == 0 && *n)
		return 0;
	return ipmu_fail(why, -EINVAL, "%s:" IPMU_QUALIFIER_FORMAT ": %s takes a number of events "
			 "from 1 to %llu, as in %s=1000", event, IPMU_QUALIFIER_WORDS(q), q->key,
			 (unsigned long long)max, q->key);
}

const char *ipmu_select_units(const struct ipmu_event *e, const char *event, const char *plain)
{
	uint64_t select = e->choices[0].select;
	const struct ipmu_reg *reg = e->type->select;

	(void)event;
	if (select & ipmu_reg_set_by(reg, IPMU_BY_EVENT_EDGE))
		return "occurrences";
	return select & ipmu_reg_set_by(reg, IPMU_BY_EVENT_THRESHOLD) ? "clocks" : plain;
}

/* Keep errors of permission, which the user can fix. Any other error means that the counters do not
 * answer. */
int ipmu_msr_absence(int rc)
{
	return rc == -EROFS ? -EACCES : rc == -EPERM || rc == -EACCES ? rc : -ENXIO;
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
		return ipmu_msr_absence(rc);
	}
	if (value != PATTERN)
		return ipmu_fail(why, -ENXIO, "%s: %s does not hold what is written to it: a "
				 "hypervisor gives no counters; run on the machine itself",
				 p->msr_path, name);
	return 0;
}
