/* SPDX-License-Identifier: MIT */
/* The unit's file, written and read as a journal. ipmu_file_record() writes a saved register's row
 * before that register changes. ipmu_file_describe() writes what a counter is programmed for, and
 * ipmu_file_forget() removes that. ipmu_file_load() reads and checks the file when the unit is
 * entered. The caller holds the system's lock and the file's mutex. Whenever the process dies, the
 * journal names every register that it has changed, so another process can restore it. */
#include "file.h"

#include "signals.h"

#include "../base/why.h"
#include "descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Note the failure for the message, and return -EIO. Callers would take ENOSPC for a lack of
 * counters, not for a full file system. */
static int failed(struct ipmu_unit *unit, int error)
{
	if (error == EFBIG)
		ipmu_signals_swallow_file_size();
	unit->regs.failure = (struct ipmu_failure){ .rc = -EIO, .file = unit->lease.path,
						    .error = error };
	return -EIO;
}

/* No fsync: after a crash of the kernel the registers are as the boot leaves them, and the
 * journal's boot id says so. Against the death of a process the page cache is enough. */
int ipmu_file_put(struct ipmu_unit *unit, const void *bytes, size_t length, size_t offset)
{
	ssize_t n;

	if (!descriptor_is(unit->lease.fd, unit->lease.is))
		return failed(unit, EBADF);
	do
		n = pwrite(unit->lease.fd, bytes, length, (off_t)offset);
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)length)
		return 0;
	return failed(unit, n < 0 ? errno : ENOSPC);
}

int ipmu_file_put_header(struct ipmu_unit *unit)
{
	return ipmu_file_put(unit, &unit->lease.header, sizeof(unit->lease.header), 0);
}

int ipmu_file_begin_change(struct ipmu_unit *unit, bool header_differs)
{
	struct ipmu_lease *l = &unit->lease;

	if (l->sync == IPMU_JOURNAL_AHEAD && !header_differs)
		return 0;
	l->sync = IPMU_JOURNAL_AHEAD;
	l->header.changing = (uint32_t)getpid();
	return ipmu_file_put_header(unit);
}

/* ---- what is saved */

static int put_saved(struct ipmu_unit *unit, int i)
{
	const struct ipmu_saved *s = &unit->regs.saved[i];
	struct ipmu_journal_entry entry = {
		.addr = s->addr, .found = s->found, .now = s->now,
		.writable = ipmu_reg_writable(s->reg),
	};

	return ipmu_file_put(unit, &entry, sizeof(entry),
			     offsetof(struct ipmu_journal, saved) + (size_t)i * sizeof(entry));
}

static int put_all_saved(struct ipmu_unit *unit)
{
	int rc = 0;

	for (int i = 0; i < unit->regs.nsaved && !rc; i++)
		rc = put_saved(unit, i);
	return rc;
}

int ipmu_file_record_all(struct ipmu_unit *unit)
{
	int rc = unit->lease.fd < 0 ? 0 : ipmu_file_begin_change(unit, false);

	if (!rc && unit->lease.fd >= 0)
		rc = put_all_saved(unit);
	if (rc)		/* the file still records that a process is changing registers */
		unit->lease.sync = IPMU_JOURNAL_UNREAD;
	return rc;
}

/* Before a row that other processes have read changes, the file says that this process is changing
 * registers: if it dies in between, the register may not hold what the row says. Rows that memory
 * has forgotten are restored, and go first: another one may be of the same register. */
int ipmu_file_record(struct ipmu_regs *p, int i)
{
	struct ipmu_unit *unit = (void *)((char *)p - offsetof(struct ipmu_unit, regs));
	uint32_t *nsaved = &unit->lease.header.nsaved, n = (uint32_t)p->nsaved;
	bool more = i >= (int)*nsaved, fewer = *nsaved > n;
	int rc;

	*nsaved = fewer ? n : *nsaved;
	rc = more ? 0 : ipmu_file_begin_change(unit, fewer);
	if (!rc)
		rc = put_saved(unit, i);
	if (rc || !more)
		return rc;
	*nsaved = (uint32_t)i + 1;
	return ipmu_file_begin_change(unit, true);
}

/* ---- what is programmed */

static size_t slot_offset(int i)
{
	return offsetof(struct ipmu_journal, slots) + (size_t)i * sizeof(struct ipmu_journal_slot);
}

void ipmu_file_forget_slots(struct ipmu_unit *unit)
{
	for (int t = 0; t < IPMU_TYPES_MAX; t++)
		for (int b = 0; unit->boxes[t] && b < unit->found.nboxes[t]; b++)
			for (int c = 0; c < IPMU_COUNTERS_MAX; c++) {
				struct ipmu_slot *slot = &unit->boxes[t][b].slots[c];

				slot->record = 0;
				if (!slot->users)
					slot->programmed = false;
			}
}

static int free_record(const struct ipmu_unit *unit)
{
	bool used[IPMU_JOURNAL_SLOTS + 1] = { false };

	for (int t = 0; t < IPMU_TYPES_MAX; t++)
		for (int b = 0; b < unit->found.nboxes[t]; b++)
			for (int c = 0; c < IPMU_COUNTERS_MAX; c++)
				used[unit->boxes[t][b].slots[c].record] = true;
	for (int i = 1; i <= IPMU_JOURNAL_SLOTS; i++)
		if (!used[i])
			return i;
	return 0;
}

int ipmu_file_forget(struct ipmu_box *box, int ctr)
{
	struct ipmu_lease *l = &box->unit->lease;
	struct ipmu_slot *slot = &box->slots[ctr];
	uint8_t used = 0;
	int rc;

	if (l->fd < 0 || !slot->record)
		return 0;
	rc = ipmu_file_put(box->unit, &used, 1, slot_offset(slot->record - 1) +
			   offsetof(struct ipmu_journal_slot, used));
	slot->record = 0;
	return rc ? rc : ipmu_file_begin_change(box->unit, false);
}

int ipmu_file_describe(struct ipmu_box *box, int ctr)
{
	struct ipmu_unit *unit = box->unit;
	struct ipmu_lease *l = &unit->lease;
	struct ipmu_slot *slot = &box->slots[ctr];
	struct ipmu_journal_slot told = {
		.used = 1, .type = (uint8_t)box->type_index, .box = (uint8_t)box->index,
		.ctr = (uint8_t)ctr, .companion = slot->companion,
	};
	bool more;
	int rc;

	if (l->fd < 0 || ipmu_type_runs_free(box->type))
		return 0;
	if (!slot->record)
		slot->record = free_record(unit);
	rc = slot->record ? ipmu_journal_put_choice(unit->family, &slot->choice, &told) :
			    -ENOSPC;
	if (rc)
		return rc;
	snprintf(told.event, sizeof(told.event), "%s", slot->event);
	rc = ipmu_file_put(unit, &told, sizeof(told), slot_offset(slot->record - 1));
	more = slot->record > (int)l->header.nslots;
	if (more)
		l->header.nslots = (uint32_t)slot->record;
	return rc ? rc : ipmu_file_begin_change(unit, more);
}

/* ---- taking over what the file records */

static const struct ipmu_saved *same_saved(const struct ipmu_saved *old, int n,
					   const struct ipmu_journal_entry *e)
{
	for (int i = 0; i < n; i++)
		if (old[i].addr == e->addr && old[i].state != IPMU_SAVED_BORROWED &&
		    ((old[i].found ^ e->found) & e->writable) == 0)
			return &old[i];
	return NULL;
}

static void apply_saved(struct ipmu_unit *unit, const struct ipmu_journal *j)
{
	struct ipmu_regs *p = &unit->regs;
	struct ipmu_saved *old = unit->lessee->old;
	int n = p->nsaved;

	memcpy(old, p->saved, (size_t)n * sizeof(old[0]));
	for (int i = 0; i < (int)j->header.nsaved; i++) {
		const struct ipmu_journal_entry *e = &j->saved[i];
		const struct ipmu_saved *mine = same_saved(old, n, e);

		p->saved[i] = (struct ipmu_saved){
			.reg = ipmu_journal_register(unit->family, e->addr, NULL, NULL),
			.addr = e->addr, .now = e->now, .found = mine ? mine->found : e->found,
			.changed = (mine ? mine->changed : 0) | (e->found ^ e->now),
			.state = mine ? IPMU_SAVED_WRITTEN : IPMU_SAVED_BORROWED,
		};
	}
	p->nsaved = (int)j->header.nsaved;
}

/* Counters that this process uses are as it has programmed them, whatever the file says. */
static void apply_slots(struct ipmu_unit *unit, const struct ipmu_journal *j)
{
	ipmu_file_forget_slots(unit);
	for (int i = 0; i < (int)j->header.nslots; i++) {
		const struct ipmu_journal_slot *told = &j->slots[i];
		struct ipmu_slot *slot;

		if (!told->used || told->box >= unit->found.nboxes[told->type] ||
		    !unit->boxes[told->type])
			continue;
		slot = &unit->boxes[told->type][told->box].slots[told->ctr];
		slot->record = i + 1;
		if (slot->users)
			continue;
		ipmu_journal_get_choice(unit->family, told, &slot->choice);
		slot->companion = told->companion;
		snprintf(slot->event, sizeof(slot->event), "%.*s", IPMU_NAME_MAX - 1, told->event);
		slot->programmed = true;
	}
}

/* Allocate all of the file's space now, so that no later write fails for lack of it. */
static int renew(struct ipmu_unit *unit)
{
	struct ipmu_lease *l = &unit->lease;

	if (!descriptor_is(l->fd, l->is))
		return failed(unit, EBADF);
	if (ftruncate(l->fd, 0) || ftruncate(l->fd, sizeof(struct ipmu_journal)) ||
	    (fallocate(l->fd, 0, 0, sizeof(struct ipmu_journal)) && errno != EOPNOTSUPP))
		return failed(unit, errno);
	ipmu_journal_init(&l->header, unit->family, unit->place, unit->lessee->boot_id);
	unit->regs.nsaved = 0;
	ipmu_file_forget_slots(unit);
	l->sync = IPMU_JOURNAL_READ;
	return ipmu_file_put_header(unit);
}

/* ---- a file that no longer records what this process has changed */

static const struct ipmu_journal_entry *entry_of(const struct ipmu_journal *j, uint32_t addr)
{
	for (uint32_t i = 0; i < j->header.nsaved; i++)
		if (j->saved[i].addr == addr)
			return &j->saved[i];
	return NULL;
}

static bool agrees(const struct ipmu_regs *p, const struct ipmu_journal *j)
{
	for (int i = 0; i < p->nsaved; i++) {
		const struct ipmu_saved *s = &p->saved[i];
		const struct ipmu_journal_entry *e = entry_of(j, s->addr);

		if (!e || (s->state != IPMU_SAVED_BORROWED &&
			   ((s->found ^ e->found) & e->writable)))
			return false;
	}
	return true;
}

static bool remembers(const struct ipmu_regs *p, uint32_t addr)
{
	for (int i = 0; i < p->nsaved; i++)
		if (p->saved[i].addr == addr)
			return true;
	return false;
}

/* Add the registers that only the file names: another process has saved them. */
static void add_from_file(struct ipmu_unit *unit, const struct ipmu_journal *j)
{
	struct ipmu_regs *p = &unit->regs;

	for (uint32_t i = 0; i < j->header.nsaved && p->nsaved < IPMU_SAVED_MAX; i++) {
		const struct ipmu_journal_entry *e = &j->saved[i];

		if (remembers(p, e->addr))
			continue;
		p->saved[p->nsaved++] = (struct ipmu_saved){
			.reg = ipmu_journal_register(unit->family, e->addr, NULL, NULL),
			.addr = e->addr, .found = e->found, .now = e->now,
			.changed = e->found ^ e->now, .state = IPMU_SAVED_BORROWED,
		};
	}
}

/* Write the journal from memory, so that the next process can restore the registers, however this
 * one ends. Other processes that take part add what they remember when they enter. */
static int write_anew(struct ipmu_unit *unit, bool valid)
{
	struct ipmu_lease *l = &unit->lease;
	int n = unit->regs.nsaved, rc = valid ? 0 : renew(unit);

	unit->regs.nsaved = n;
	rc = rc ? rc : put_all_saved(unit);
	if (rc)
		return rc;
	if (valid)
		l->header = unit->lessee->journal->header;
	l->header.nsaved = (uint32_t)n;
	l->header.generation++;
	return ipmu_file_put_header(unit);
}

static int repair(struct ipmu_unit *unit, bool valid, const char *what, char *why)
{
	const char *path = unit->lease.path;
	int rc;

	if (valid)
		add_from_file(unit, unit->lessee->journal);
	rc = write_anew(unit, valid);
	return ipmu_fail(why, -EBADMSG, "%s: %s while this process counts: somebody has damaged "
			 "it; the registers that this process has changed are restored from its "
			 "memory%s", path,
			 what, rc ? ", because the file cannot be written" : "");
}

/* ---- reading it */

static int file_check(struct ipmu_unit *unit, char *what, char *why)
{
	struct ipmu_lease *l = &unit->lease;
	struct ipmu_journal *j = unit->lessee->journal;
	struct stat st;
	ssize_t n = pread(l->fd, j, sizeof(*j), 0);

	if (n < 0 || fstat(l->fd, &st))
		return ipmu_fail(why, -EIO, "%s cannot be read: %s", l->path, strerror(errno));
	return ipmu_journal_check(j, (size_t)st.st_size > sizeof(*j) ? (size_t)st.st_size :
				  (size_t)n, unit->family, unit->place, unit->lessee->boot_id,
				  j, what);
}

static void apply(struct ipmu_unit *unit)
{
	const struct ipmu_journal *j = unit->lessee->journal;

	unit->lease.header = j->header;
	unit->lease.sync = IPMU_JOURNAL_READ;
	apply_saved(unit, j);
	apply_slots(unit, j);
}

static int load_joined(struct ipmu_unit *unit, int state, const char *what, char *why)
{
	if (state < 0)
		return repair(unit, false, what, why);
	if (state != IPMU_JOURNAL_VALID)
		return repair(unit, false, state == IPMU_JOURNAL_OLD ?
			      "it has become one of another boot" : "it has been emptied", why);
	if (!agrees(&unit->regs, unit->lessee->journal))
		return repair(unit, true, "it has been replaced by another", why);
	apply(unit);
	return 0;
}

int ipmu_file_load(struct ipmu_unit *unit, char *why)
{
	const char *path = unit->lease.path;
	char what[IPMU_WHY_MAX] = "";
	int state = file_check(unit, what, why);

	if (state == -EIO)
		return state;
	if (ipmu_lease_joined(&unit->lease))
		return load_joined(unit, state, what, why);
	if (state < 0)
		return ipmu_fail(why, state, "%s: %s: no register is restored from it; end all "
				 "programs that count and remove it", path, what);
	if (state == IPMU_JOURNAL_VALID) {
		apply(unit);
		return 0;
	}
	if (unit->regs.peers)
		return ipmu_fail(why, -EBADMSG, "%s: it does not name the processes that count "
				 "there: somebody has damaged it; end all programs that count and "
				 "remove it", path);
	if (!renew(unit))
		return 0;
	return ipmu_access_explain(&unit->regs, ipmu_fail(why, -EIO, "%s cannot be written", path),
				   why);
}

bool ipmu_file_has_saved(int dir, const char *name)
{
	struct ipmu_journal_header h;
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool has = fd >= 0 && pread(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) && h.nsaved;

	if (fd >= 0)
		close(fd);
	return has;
}
