/* SPDX-License-Identifier: MIT */
/* Registers that are saved before they are changed, and restored. ipmu_msr_save() remembers a
 * register; ipmu_msr_write() and ipmu_msr_update() save it first and change documented bits only.
 * ipmu_access_restore() writes the old values back, last first. The caller holds the system's lock
 * and has entered the unit. Each saved row is in one enum ipmu_saved_state. The journal (p->record)
 * has each change before the register does. */
#include "batch.h"
#include "trace.h"

#include "../base/why.h"

#include <errno.h>
#include <stdio.h>

static struct ipmu_saved *find_saved(struct ipmu_regs *p, uint32_t addr)
{
	for (int i = 0; i < p->nsaved; i++)
		if (p->saved[i].addr == addr)
			return &p->saved[i];
	return NULL;
}

/* ---- a register, wherever it is */

int ipmu_access_read(struct ipmu_regs *p, const struct ipmu_reg *reg, uint32_t addr,
		     uint64_t *value)
{
	int rc;

	if (reg->space != IPMU_MMIO)
		return ipmu_msr_read(p, addr, value);
	rc = ipmu_batch_flush(p->batch);
	if (rc)
		return rc;
	rc = ipmu_window_open(p, reg, addr, NULL);
	if (rc)
		ipmu_access_failed(p, addr, rc, false);
	else
		*value = ipmu_window_read(p, reg, addr);
	return rc;
}

static int write_now(struct ipmu_regs *p, const struct ipmu_reg *reg, uint32_t addr,
		     uint64_t value)
{
	int rc;

	if (reg->space != IPMU_MMIO)
		return ipmu_msr_write_now(p, addr, value);
	rc = ipmu_window_open(p, reg, addr, NULL);
	if (!rc)
		rc = ipmu_window_write(p, reg, addr, value);
	if (rc)
		ipmu_access_failed(p, addr, rc, true);
	return rc;
}

/* Write a register, through the batch device's queue if it is open. Write-only registers are not
 * queued, because the module would read them. s (may be NULL) is the register's row, whose `now` is
 * updated. */
static int write_reg(struct ipmu_regs *p, const struct ipmu_reg *reg, uint32_t addr,
		     uint64_t value, struct ipmu_saved *s)
{
	bool queue = ipmu_batch_queueing(p->batch) && reg->access != IPMU_WO &&
		     reg->space == IPMU_MSR;
	int rc = queue ? 0 : ipmu_batch_flush(p->batch);

	for (int i = 0; i < (reg->write_twice ? 2 : 1) && !rc; i++)
		rc = queue ? ipmu_batch_write(p->batch, p, addr, value, s) :
			     write_now(p, reg, addr, value);
	if (rc || !s)
		return rc;
	s->now = value;
	if (!queue)
		s->state = IPMU_SAVED_WRITTEN;
	return 0;
}

static int record(struct ipmu_regs *p, const struct ipmu_saved *s)
{
	return p->record ? p->record(p, (int)(s - p->saved)) : 0;
}

static int saved_remember(struct ipmu_regs *p, const struct ipmu_reg *reg, uint32_t addr,
			  uint64_t value, struct ipmu_saved **out)
{
	struct ipmu_saved *s;
	int rc;

	if (p->nsaved == IPMU_SAVED_MAX)
		return -ENOSPC;
	s = &p->saved[p->nsaved++];
	*s = (struct ipmu_saved){ .reg = reg, .addr = addr, .found = value, .now = value };
	rc = record(p, s);
	if (rc)
		p->nsaved--;
	else
		*out = s;
	return rc;
}

static int save(struct ipmu_regs *p, const struct ipmu_reg *reg, uint32_t addr,
		struct ipmu_saved **out)
{
	struct ipmu_saved *s = find_saved(p, addr);
	uint64_t value;
	int rc;

	if (s) {
		*out = s;
		return 0;
	}
	rc = ipmu_access_read(p, reg, addr, &value);
	return rc ? rc : saved_remember(p, reg, addr, value, out);
}

static void save_chunk(struct ipmu_batch *b, const struct ipmu_register *list, int n)
{
	struct ipmu_batch_op ops[IPMU_BATCH_READS];
	struct ipmu_saved *s;

	for (int i = 0; i < n; i++)
		ops[i] = (struct ipmu_batch_op){ .cpu = (uint16_t)list[i].regs->os_cpu,
						 .msr = list[i].addr };
	if (!n || !ipmu_batch_read(b, ops, n))
		return;
	for (int i = 0; i < n; i++)
		if (!ops[i].err && !find_saved(list[i].regs, list[i].addr))
			saved_remember(list[i].regs, list[i].reg, list[i].addr, ops[i].data, &s);
}

void ipmu_msr_save_ahead(struct ipmu_batch *b, const struct ipmu_register *list, int n)
{
	struct ipmu_register chunk[IPMU_BATCH_READS];
	int k = 0;

	for (int i = 0; i < n; i++) {
		if (find_saved(list[i].regs, list[i].addr))
			continue;
		chunk[k++] = list[i];
		if (k == IPMU_BATCH_READS) {
			save_chunk(b, chunk, k);
			k = 0;
		}
	}
	save_chunk(b, chunk, k);
}

int ipmu_msr_save(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr,
		  uint64_t *value)
{
	struct ipmu_saved *s;
	int rc = save(p, reg, ipmu_reg_addr(reg, box, ctr), &s);

	if (!rc)
		*value = s->found;
	return rc;
}

bool ipmu_msr_is_saved(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr)
{
	return find_saved(p, ipmu_reg_addr(reg, box, ctr)) != NULL;
}

uint64_t ipmu_msr_last(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr)
{
	const struct ipmu_saved *s = find_saved(p, ipmu_reg_addr(reg, box, ctr));

	return s ? s->now : 0;
}

/* Take over what the register holds. The bits that this library does not change are the register's
 * own, whatever a journal says. */
static void saved_update(struct ipmu_saved *s, uint64_t value)
{
	uint64_t writable = ipmu_reg_writable(s->reg);

	if (!s->reg->counter)
		s->found = (s->found & writable) | (value & ~writable);
	s->now = value;
	if (s->state == IPMU_SAVED_BORROWED)
		s->state = IPMU_SAVED_WRITTEN;
}

/* Read the register again if others change it, or if only a journal says what it holds. A counter
 * has no bits but its own. */
static int saved_reread(struct ipmu_regs *p, struct ipmu_saved *s)
{
	bool borrowed = s->state == IPMU_SAVED_BORROWED && !s->reg->counter;
	uint64_t value;
	int rc;

	if (!borrowed && !s->reg->shared)
		return 0;
	rc = ipmu_access_read(p, s->reg, s->addr, &value);
	if (!rc && borrowed)
		saved_update(s, value);
	else if (!rc)
		s->now = value;
	return rc;
}

/* The bits of the register that are not ours to change. A counter has none: what it holds beyond
 * its writable bits follows from them. */
static uint64_t kept_bits(const struct ipmu_saved *s)
{
	if (s->reg->counter)
		return 0;
	return (s->reg->shared ? s->now : s->found) & ~ipmu_reg_writable(s->reg);
}

/* Our write is about to be tried, or one of another register has changed this one. */
static void saved_mark_written(struct ipmu_saved *s)
{
	if (s->state == IPMU_SAVED_FOUND || s->state == IPMU_SAVED_BORROWED)
		s->state = IPMU_SAVED_WRITTEN;
}

int ipmu_msr_write(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr,
		   uint64_t value)
{
	uint64_t writable = ipmu_reg_writable(reg), was;
	struct ipmu_saved *s;
	int rc;

	if (!writable)
		return -EPERM;
	if (value & ~writable)
		return -EINVAL;
	if (reg->access == IPMU_WO)
		return write_reg(p, reg, ipmu_reg_addr(reg, box, ctr), value, NULL);
	rc = save(p, reg, ipmu_reg_addr(reg, box, ctr), &s);
	if (!rc && s->state == IPMU_SAVED_LEFT)
		return 0;
	if (!rc)
		rc = saved_reread(p, s);
	if (rc)
		return rc;
	value |= kept_bits(s);
	if (value == s->now && !reg->counter &&
	    !(reg->hardware_clears && (value & writable)))
		return 0;	/* a control register that holds it already */
	was = s->now;
	s->changed |= value ^ was;
	s->now = value;
	rc = record(p, s);
	s->now = was;
	if (rc)
		return rc;
	saved_mark_written(s);
	rc = write_reg(p, reg, s->addr, value, s);
	if (rc)
		record(p, s);	/* it holds what it held */
	return rc;
}

int ipmu_msr_update(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr,
		    uint64_t mask, uint64_t value)
{
	struct ipmu_saved *s;
	int rc = save(p, reg, ipmu_reg_addr(reg, box, ctr), &s);

	if (!rc && reg->shared)
		rc = ipmu_access_read(p, reg, s->addr, &s->now);
	if (rc)
		return rc;
	return ipmu_msr_write(p, reg, box, ctr,
			      ((s->now & ~mask) | value) & ipmu_reg_writable(reg));
}

int ipmu_msr_look(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr)
{
	struct ipmu_saved *s = find_saved(p, ipmu_reg_addr(reg, box, ctr));
	int rc = s ? ipmu_access_read(p, reg, s->addr, &s->now) : 0;

	if (!s || rc)
		return rc;
	saved_mark_written(s);	/* through the other register */
	return record(p, s);
}

int ipmu_access_busy(const struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr,
		     uint64_t value, char *why)
{
	char name[64];

	ipmu_reg_name(reg, box, ctr, name);
	return ipmu_fail(why, -EBUSY, "%s: %s (0x%X) is 0x%llx: somebody else counts there: the "
			 "kernel's perf events, its NMI watchdog ('sysctl "
			 "kernel.nmi_watchdog=0') or another tool; end that, or set "
			 "IPMU_TAKE_BUSY=1 to take the counters now and give them back "
			 "afterwards", ipmu_access_file(p, reg), name,
			 (unsigned)ipmu_reg_addr(reg, box, ctr), (unsigned long long)value);
}

/* A counter moves by itself and is always restored; other registers only if they changed. */
static bool needs_restore(const struct ipmu_saved *s)
{
	if (s->state == IPMU_SAVED_LEFT || s->reg->access != IPMU_RW ||
	    !ipmu_reg_writable(s->reg))
		return false;
	return s->now != s->found || s->reg->counter || s->reg->hardware_clears;
}

static int saved_restore(struct ipmu_regs *p, struct ipmu_saved *s)
{
	uint64_t mine = ipmu_reg_writable(s->reg), value;
	int rc;

	if (!needs_restore(s)) {
		if (s->state == IPMU_SAVED_UNRESTORED)
			s->state = IPMU_SAVED_WRITTEN;
		return 0;
	}
	rc = saved_reread(p, s);
	if (rc && s->state == IPMU_SAVED_BORROWED)
		return rc;	/* it stays so: its other bits are not known */
	s->state = IPMU_SAVED_UNRESTORED;
	if (rc)
		return rc;
	if (s->reg->shared)
		mine &= s->changed;
	value = kept_bits(s) | (s->found & mine) |
		(s->now & ipmu_reg_writable(s->reg) & ~mine);
	return write_reg(p, s->reg, s->addr, value, s);
}

static bool holds_it(struct ipmu_regs *p, const struct ipmu_saved *s)
{
	uint64_t value;

	return !ipmu_access_read(p, s->reg, s->addr, &value) &&
	       !((value ^ s->found) & ipmu_reg_writable(s->reg));
}

/* A row that is still borrowed could not be read, and so not be written. */
static bool is_unrestored(const struct ipmu_saved *s)
{
	return s->state == IPMU_SAVED_UNRESTORED ||
	       (s->state == IPMU_SAVED_BORROWED && needs_restore(s));
}

/* Forget the rows that are restored. If a write failed, the register may hold its old value all the
 * same, because an earlier write failed too. A journal numbers the rows, so with one they all stay
 * until every register is restored. */
static int forget_restored(struct ipmu_regs *p, int rc)
{
	int kept = 0;

	for (int i = 0; i < p->nsaved && rc; i++) {
		struct ipmu_saved *s = &p->saved[i];

		if (!is_unrestored(s))
			continue;
		if (!holds_it(p, s)) {
			p->saved[p->record ? i : kept] = *s;
			kept++;
		} else if (s->state == IPMU_SAVED_UNRESTORED) {
			s->state = IPMU_SAVED_WRITTEN;
		}
	}
	if (!kept || !p->record)
		p->nsaved = kept;
	return kept ? rc : 0;
}

int ipmu_access_refresh(struct ipmu_regs *p)
{
	int first = 0;

	for (int i = 0; i < p->nsaved; i++) {
		struct ipmu_saved *s = &p->saved[i];
		uint64_t value;
		int rc = s->reg->access == IPMU_RW ?
			 ipmu_access_read(p, s->reg, s->addr, &value) : 0;

		if (rc)
			first = first ? first : rc;
		else if (s->reg->access == IPMU_RW && s->state != IPMU_SAVED_LEFT)
			saved_update(s, value);
	}
	return first;
}

static bool any_written(const struct ipmu_regs *p)
{
	for (int i = 0; i < p->nsaved; i++)
		if (p->saved[i].state != IPMU_SAVED_FOUND)
			return true;
	return false;
}

/* ---- registers that foreign users have written since */

/* True if a changed value proves that somebody else wrote the register. A register that moves by
 * itself proves nothing, nor does one where our last write may have failed. */
static bool tells_its_writer(const struct ipmu_saved *s)
{
	return (s->state == IPMU_SAVED_WRITTEN || s->state == IPMU_SAVED_BORROWED) &&
	       s->reg->access == IPMU_RW && !s->reg->counter && !s->reg->shared &&
	       s->now != s->found;
}

/* Mark the register if somebody else has changed it. In a register that the hardware clears, only
 * bits that are set newly prove that. */
static void leave_if_changed(struct ipmu_regs *p, struct ipmu_saved *s, uint64_t value)
{
	uint64_t changed = (value ^ s->now) & ipmu_reg_writable(s->reg) & ~s->reg->moves;

	if (!(s->reg->hardware_clears ? changed & value : changed))
		return;
	s->state = IPMU_SAVED_LEFT;
	if (!p->left.addr)
		p->left = (struct ipmu_left){ .addr = s->addr, .written = s->now, .value = value };
}

static void leave_chunk(struct ipmu_regs *p, struct ipmu_saved **rows, int n)
{
	struct ipmu_batch_op ops[IPMU_BATCH_READS];
	bool together;

	for (int i = 0; i < n; i++)
		ops[i] = (struct ipmu_batch_op){ .cpu = (uint16_t)p->os_cpu, .msr = rows[i]->addr };
	together = n && p->batch && ipmu_batch_read(p->batch, ops, n);
	for (int i = 0; i < n; i++)
		if (together ? !ops[i].err : !ipmu_msr_read(p, rows[i]->addr, &ops[i].data))
			leave_if_changed(p, rows[i], ops[i].data);
}

static void leave_counters(struct ipmu_regs *p)
{
	for (int i = 0; i < p->nsaved && p->select_of; i++) {
		struct ipmu_saved *s = &p->saved[i];
		const struct ipmu_saved *select = s->reg->counter ?
						  find_saved(p, p->select_of(p, s)) : NULL;

		if (select && select->state == IPMU_SAVED_LEFT)
			s->state = IPMU_SAVED_LEFT;
	}
}

bool ipmu_access_is_left(struct ipmu_regs *p, const struct ipmu_reg *reg, int box, int ctr)
{
	const struct ipmu_saved *s = find_saved(p, ipmu_reg_addr(reg, box, ctr));

	return s && s->state == IPMU_SAVED_LEFT;
}

bool ipmu_access_any_left(const struct ipmu_regs *p)
{
	for (int i = 0; i < p->nsaved; i++)
		if (p->saved[i].state == IPMU_SAVED_LEFT)
			return true;
	return false;
}

void ipmu_access_leave_changed(struct ipmu_regs *p)
{
	struct ipmu_saved *rows[IPMU_BATCH_READS];
	int n = 0;

	for (int i = 0; i < p->nsaved; i++) {
		struct ipmu_saved *s = &p->saved[i];
		uint64_t value;

		if (!tells_its_writer(s))
			continue;
		if (s->reg->space == IPMU_MMIO) {
			if (!ipmu_access_read(p, s->reg, s->addr, &value))
				leave_if_changed(p, s, value);
			continue;
		}
		rows[n++] = s;
		if (n == IPMU_BATCH_READS) {
			leave_chunk(p, rows, n);
			n = 0;
		}
	}
	leave_chunk(p, rows, n);
	if (ipmu_access_any_left(p))
		leave_counters(p);
}

int ipmu_access_explain_left(const struct ipmu_regs *p, char *why)
{
	const struct ipmu_reg *reg;
	char name[64] = "a register";
	int box, ctr;

	reg = ipmu_reg_at(p->registers, p->left.addr, &box, &ctr);
	if (reg)
		ipmu_reg_name(reg, box, ctr, name);
	return ipmu_fail(why, -ESTALE, "%s: %s (0x%X) is 0x%llx, not 0x%llx as it was written "
			 "last: somebody else has changed it since, so its old value is not "
			 "restored", ipmu_access_file(p, reg), name, (unsigned)p->left.addr,
			 (unsigned long long)p->left.value, (unsigned long long)p->left.written);
}

static int restore(struct ipmu_regs *p)
{
	int first, rc;

	ipmu_access_leave_changed(p);
	ipmu_batch_begin(p->batch, IPMU_BATCH_GO_ON);
	first = p->quiesce ? p->quiesce(p) : 0;
	for (int i = p->nsaved - 1; i >= 0; i--) {
		rc = saved_restore(p, &p->saved[i]);
		first = first ? first : rc;
	}
	rc = ipmu_batch_end(p->batch);
	rc = forget_restored(p, first ? first : rc);
	return !rc && p->left.addr ? -ESTALE : rc;
}

/* Registers that were only read may count for somebody else: they are not written. */
int ipmu_access_restore(struct ipmu_regs *p)
{
	const char *was = ipmu_trace_for("restore");
	int rc = 0;

	if (any_written(p))
		rc = restore(p);
	else
		p->nsaved = 0;
	ipmu_trace_for(was);
	return rc;
}
