/* SPDX-License-Identifier: MIT */
#include "plan.h"
#include "state.h"

#include "../why.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No fsync: after a crash of the kernel the registers are as the boot leaves them, and the
 * journal's boot id says so. Against the death of a process the page cache is enough. */
static int put(int fd, const void *bytes, size_t length, size_t offset)
{
	ssize_t n;

	do
		n = pwrite(fd, bytes, length, (off_t)offset);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == (ssize_t)length ? 0 : -ENOSPC;
}

static int put_header(struct ipmu_owner *o)
{
	return put(o->fd, &o->header, sizeof(o->header), 0);
}

/* From now until leaving, a death means that registers may be as nobody knows. */
static int begin_change(struct ipmu_owner *o, bool header_differs)
{
	if (o->changed && !header_differs)
		return 0;
	o->changed = true;
	o->header.changing = (uint32_t)getpid();
	return put_header(o);
}

/* ---- what is saved */

static int record(struct ipmu_regs *p, int i)
{
	struct ipmu_unit *unit = (void *)((char *)p - offsetof(struct ipmu_unit, regs));
	const struct ipmu_saved *s = &p->saved[i];
	struct ipmu_owner *o = &unit->owner;
	struct ipmu_journal_entry entry = {
		.addr = s->addr, .found = s->found, .now = s->now,
		.writable = ipmu_reg_writable(s->reg),
	};
	bool more = i >= (int)o->header.nsaved;
	int rc = put(o->fd, &entry, sizeof(entry),
		     offsetof(struct ipmu_journal, saved) + (size_t)i * sizeof(entry));

	if (rc)
		return rc;
	if (more)
		o->header.nsaved = (uint32_t)i + 1;
	return begin_change(o, more);
}

/* ---- what is programmed */

static size_t slot_offset(int i)
{
	return offsetof(struct ipmu_journal, slots) + (size_t)i * sizeof(struct ipmu_journal_slot);
}

static void forget_slots(struct ipmu_unit *unit)
{
	for (int t = 0; t < IPMU_TYPES_MAX; t++)
		for (int b = 0; unit->boxes[t] && b < unit->nboxes[t]; b++)
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
		for (int b = 0; b < unit->nboxes[t]; b++)
			for (int c = 0; c < IPMU_COUNTERS_MAX; c++)
				used[unit->boxes[t][b].slots[c].record] = true;
	for (int i = 1; i <= IPMU_JOURNAL_SLOTS; i++)
		if (!used[i])
			return i;
	return 0;
}

int ipmu_owner_forget(struct ipmu_box *box, int ctr)
{
	struct ipmu_owner *o = &box->unit->owner;
	struct ipmu_slot *slot = &box->slots[ctr];
	uint8_t used = 0;
	int rc;

	if (o->fd < 0 || !slot->record)
		return 0;
	rc = put(o->fd, &used, 1, slot_offset(slot->record - 1) +
		 offsetof(struct ipmu_journal_slot, used));
	slot->record = 0;
	return rc ? rc : begin_change(o, false);
}

int ipmu_owner_tell(struct ipmu_box *box, int ctr)
{
	struct ipmu_unit *unit = box->unit;
	struct ipmu_owner *o = &unit->owner;
	struct ipmu_slot *slot = &box->slots[ctr];
	struct ipmu_journal_slot told = {
		.used = 1, .type = (uint8_t)box->type_index, .box = (uint8_t)box->index,
		.ctr = (uint8_t)ctr, .companion = slot->companion,
	};
	bool more;
	int rc;

	if (o->fd < 0 || ipmu_type_runs_free(box->type))
		return 0;
	if (!slot->record)
		slot->record = free_record(unit);
	rc = slot->record ? ipmu_journal_put_choice(unit->sys->family, &slot->choice, &told) :
			    -ENOSPC;
	if (rc)
		return rc;
	snprintf(told.event, sizeof(told.event), "%s", slot->event);
	rc = put(o->fd, &told, sizeof(told), slot_offset(slot->record - 1));
	more = slot->record > (int)o->header.nslots;
	if (more)
		o->header.nslots = (uint32_t)slot->record;
	return rc ? rc : begin_change(o, more);
}

/* ---- reading the journal */

static const struct ipmu_saved *same_saved(const struct ipmu_saved *old, int n,
					   const struct ipmu_journal_entry *e)
{
	for (int i = 0; i < n; i++)
		if (old[i].addr == e->addr && !old[i].borrowed &&
		    ((old[i].found ^ e->found) & e->writable) == 0)
			return &old[i];
	return NULL;
}

static void apply_saved(struct ipmu_unit *unit, const struct ipmu_journal *j)
{
	struct ipmu_regs *p = &unit->regs;
	struct ipmu_saved old[IPMU_SAVED_MAX];
	int n = p->nsaved;

	memcpy(old, p->saved, (size_t)n * sizeof(old[0]));
	for (int i = 0; i < (int)j->header.nsaved; i++) {
		const struct ipmu_journal_entry *e = &j->saved[i];
		const struct ipmu_saved *mine = same_saved(old, n, e);

		p->saved[i] = (struct ipmu_saved){
			.reg = ipmu_journal_register(unit->sys->family, e->addr, NULL, NULL),
			.addr = e->addr, .now = e->now, .found = mine ? mine->found : e->found,
			.borrowed = !mine, .written = true,
		};
	}
	p->nsaved = (int)j->header.nsaved;
}

/* Counters that this process uses are as it has programmed them, whatever the file says. */
static void apply_slots(struct ipmu_unit *unit, const struct ipmu_journal *j)
{
	forget_slots(unit);
	for (int i = 0; i < (int)j->header.nslots; i++) {
		const struct ipmu_journal_slot *told = &j->slots[i];
		struct ipmu_slot *slot;

		if (!told->used || told->box >= unit->nboxes[told->type] ||
		    !unit->boxes[told->type])
			continue;
		slot = &unit->boxes[told->type][told->box].slots[told->ctr];
		slot->record = i + 1;
		if (slot->users)
			continue;
		ipmu_journal_get_choice(unit->sys->family, told, &slot->choice);
		slot->companion = told->companion;
		snprintf(slot->event, sizeof(slot->event), "%.*s", IPMU_NAME_MAX - 1, told->event);
		slot->programmed = true;
	}
}

static int renew(struct ipmu_unit *unit)
{
	struct ipmu_owner *o = &unit->owner;

	if (ftruncate(o->fd, 0) || ftruncate(o->fd, sizeof(struct ipmu_journal)))
		return -errno;
	ipmu_journal_init(&o->header, unit->sys->family, unit->place, unit->sys->boot_id);
	unit->regs.nsaved = 0;
	forget_slots(unit);
	o->seen = o->header.generation;
	return put_header(o);
}

static int load(struct ipmu_unit *unit, char *why)
{
	struct ipmu_owner *o = &unit->owner;
	struct ipmu_journal *j = unit->sys->journal;
	char what[IPMU_WHY_MAX];
	struct stat st;
	ssize_t n = pread(o->fd, j, sizeof(*j), 0);
	int rc;

	if (n < 0 || fstat(o->fd, &st))
		return ipmu_fail(why, -errno, "%s cannot be read: %s", o->path, strerror(errno));
	rc = ipmu_journal_check(j, (size_t)st.st_size > sizeof(*j) ? (size_t)st.st_size : (size_t)n,
				unit->sys->family, unit->place, unit->sys->boot_id, j, what);
	if (rc < 0)
		return ipmu_fail(why, rc, "%s: %s: no register is written by it; end all programs "
				 "that count and remove it", o->path, what);
	if (rc != IPMU_JOURNAL_VALID) {
		rc = renew(unit);
		return rc ? ipmu_fail(why, rc, "%s cannot be written: %s", o->path,
				      strerror(-rc)) : 0;
	}
	o->header = j->header;
	o->seen = j->header.generation;
	apply_saved(unit, j);
	apply_slots(unit, j);
	return 0;
}

/* ---- entering and leaving */

static int look(struct ipmu_unit *unit, char *why)
{
	struct ipmu_owner *o = &unit->owner;
	struct ipmu_journal_header h;
	int rc;

	if (o->seen && pread(o->fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) &&
	    memcmp(&h, &o->header, sizeof(h)) == 0 && !h.changing)
		return 0;
	rc = load(unit, why);
	if (rc || !o->header.changing || (!o->joined && !unit->regs.peers))
		return rc;
	o->changed = true;	/* somebody died in here, and others go on */
	rc = ipmu_access_refresh(&unit->regs);
	return rc ? ipmu_fail(why, rc, "%s: registers cannot be read: %s", unit->regs.msr_path,
			      strerror(-rc)) : 0;
}

static void look_at_others(struct ipmu_unit *unit)
{
	bool counting = unit->regs.peers && ipmu_counters_used(unit->owner.fd, IPMU_ALL, 0);

	unit->owner.others_count = counting;
	for (int t = 0; t < IPMU_TYPES_MAX; t++)
		for (int b = 0; unit->boxes[t] && b < unit->nboxes[t]; b++) {
			struct ipmu_box *box = &unit->boxes[t][b];

			box->foreign = counting ? ipmu_counters_used(unit->owner.fd, t, b) : 0;
			box->elsewhere = counting && ipmu_box_held(unit->owner.fd, t, b);
		}
}

/* The file may have been removed, as our messages advise; others have made a new one then. */
static int reopen(struct ipmu_unit *unit, char *why)
{
	struct ipmu_owner *o = &unit->owner;
	struct stat st;
	int rc;

	if (o->joined || fstat(o->fd, &st) || st.st_nlink)
		return 0;
	ipmu_owner_close(unit);
	rc = ipmu_owner_open(unit, why);
	o->depth = 1;
	return rc;
}

static int go_inside(struct ipmu_unit *unit, char *why)
{
	struct ipmu_owner *o = &unit->owner;
	int rc = reopen(unit, why);

	if (rc)
		return rc;
	rc = ipmu_lock_mutex(o->fd);
	if (rc == -EBUSY)
		return ipmu_fail(why, rc, "%s: another process stays in it without an end: has it "
				 "been stopped? 'ipmu-restore --dry-run' names those that count",
				 o->path);
	if (rc)
		return ipmu_fail(why, rc, "%s cannot be locked: %s", o->path, strerror(-rc));
	unit->regs.peers = ipmu_seat_taken(o->fd, IPMU_ALL);
	rc = look(unit, why);
	if (!rc && unit->regs.nsaved && !o->joined && !unit->regs.peers)
		rc = ipmu_owner_recover(unit, why);
	if (rc) {
		o->seen = 0;
		o->changed = false;
		if (!o->joined)
			unit->regs.nsaved = 0;
		ipmu_unlock_mutex(o->fd);
		return rc;
	}
	look_at_others(unit);
	return 0;
}

int ipmu_owner_enter(struct ipmu_unit *unit, char *why)
{
	struct ipmu_owner *o = &unit->owner;
	int rc;

	if (unit->sys->pid != getpid())
		return ipmu_fail(why, -ECHILD, "this process was forked from the one that opened "
				 "the counters: open them anew");
	if (o->depth++)
		return 0;
	ipmu_signals_hold(unit->sys);
	rc = ipmu_signals_ending() ? -ECANCELED : o->fd < 0 ? 0 : go_inside(unit, why);
	if (!rc)
		return 0;
	o->depth = 0;
	ipmu_signals_release(unit->sys);
	return rc;
}

void ipmu_owner_leave(struct ipmu_unit *unit)
{
	struct ipmu_owner *o = &unit->owner;

	if (--o->depth)
		return;
	if (o->fd >= 0 && (o->changed || o->header.nsaved != (uint32_t)unit->regs.nsaved)) {
		o->header.nsaved = (uint32_t)unit->regs.nsaved;
		if (!o->header.nsaved) {
			o->header.nslots = 0;
			forget_slots(unit);
		}
		o->header.changing = 0;
		o->header.generation++;
		o->seen = put_header(o) ? 0 : o->header.generation;
		o->changed = false;
	}
	if (o->fd >= 0)
		ipmu_unlock_mutex(o->fd);
	ipmu_signals_release(unit->sys);
}

/* ---- opening, parting, closing */

int ipmu_owner_open(struct ipmu_unit *unit, char *why)
{
	struct ipmu_owner *o = &unit->owner;
	char dir_path[PATH_MAX], name[64];
	int dir;

	memset(o, 0, sizeof(*o));
	o->fd = -1;
	if (ipmu_state_none())
		return 0;
	dir = ipmu_state_open(true, dir_path, why);
	if (dir < 0)
		return dir;
	ipmu_state_name(unit->sys->family, unit->place, name);
	o->fd = ipmu_state_file(dir, dir_path, name, why);
	close(dir);
	if (o->fd < 0)
		return o->fd;
	if (asprintf(&o->path, "%s/%s", dir_path, name) < 0) {
		o->path = NULL;
		ipmu_owner_close(unit);
		return ipmu_fail(why, -ENOMEM, "out of memory for a path");
	}
	unit->regs.record = record;
	return 0;
}

void ipmu_owner_close(struct ipmu_unit *unit)
{
	if (unit->owner.fd >= 0)
		close(unit->owner.fd);
	free(unit->owner.path);
	unit->owner.path = NULL;
	unit->owner.fd = -1;
}

static void drop_all(struct ipmu_owner *o)
{
	if (o->fd < 0)
		return;
	for (int t = 0; t < IPMU_TYPES_MAX; t++)
		for (int b = 0; b < IPMU_BOXES_MAX; b++) {
			for (int c = 0; c < IPMU_COUNTERS_MAX; c++)
				if (o->uses[t][b] >> c & 1)
					ipmu_unlock_counter(o->fd, t, b, c);
			if (o->held[t][b])
				ipmu_unlock_box(o->fd, t, b);
		}
	ipmu_unlock_seat(o->fd, o->seat);
}

/* What could not be put back stays in the journal, for the next one to try. */
static int put_back(struct ipmu_unit *unit)
{
	int saved = unit->regs.nsaved, rc;

	if (unit->owner.fd >= 0)
		begin_change(&unit->owner, false);	/* a failure of it does not matter */
	rc = ipmu_access_restore(&unit->regs);

	if (rc && unit->owner.fd >= 0)
		unit->regs.nsaved = saved;
	return rc;
}

/* After a parting that failed: with a journal, entering it is what puts the registers back. */
static int put_back_again(struct ipmu_unit *unit)
{
	int rc;

	if (!unit->owner.owes)
		return 0;
	if (unit->owner.fd < 0) {
		rc = put_back(unit);
	} else {
		rc = ipmu_owner_enter(unit, NULL);
		if (!rc)
			ipmu_owner_leave(unit);
	}
	unit->owner.owes = rc != 0;
	return rc;
}

static void part(struct ipmu_unit *unit)
{
	struct ipmu_owner *o = &unit->owner;

	if (unit->regs.nsaved)
		o->seen = 0;
	if (o->fd >= 0)
		unit->regs.nsaved = 0;
	memset(o->held, 0, sizeof(o->held));
	memset(o->uses, 0, sizeof(o->uses));
	o->joined = false;
	ipmu_signals_off();
}

/* The journal was damaged meanwhile: this process still knows what it has changed. */
static void restore_by_memory(struct ipmu_unit *unit, int reason)
{
	if (reason != -EBADMSG || ipmu_seat_taken(unit->owner.fd, IPMU_ALL))
		return;
	unit->regs.record = NULL;
	ipmu_access_restore(&unit->regs);
	unit->regs.record = record;
}

int ipmu_owner_part(struct ipmu_unit *unit)
{
	struct ipmu_owner *o = &unit->owner;
	int rc;

	if (!o->joined)
		return put_back_again(unit);
	rc = ipmu_owner_enter(unit, NULL);
	if (!rc) {
		if (!unit->regs.peers)
			rc = put_back(unit);
		drop_all(o);
		ipmu_owner_leave(unit);
	} else {
		restore_by_memory(unit, rc);
		drop_all(o);
	}
	o->owes = rc != 0;
	part(unit);
	return rc;
}
