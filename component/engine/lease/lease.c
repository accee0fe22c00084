/* SPDX-License-Identifier: MIT */
/* The right to write a unit's registers, between processes and after their death; lease.h describes
 * the protocol. ipmu_lease_enter() and ipmu_lease_leave() bracket every change of registers.
 * ipmu_lease_end() restores the registers, unless other processes still count. The caller holds the
 * system's lock. Entering first restores what dead processes left changed. */
#include "lease.h"

#include "file.h"
#include "locks.h"
#include "process.h"
#include "share.h"
#include "signals.h"
#include "state.h"

#include "../access/trace.h"
#include "../base/why.h"
#include "descriptor.h"
#include "../pmu/families.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- restoring */

/* Restore the saved registers. A register that a foreign user has written since is skipped, and a
 * message names it. */
static int unit_restore(struct ipmu_unit *unit)
{
	int rc = ipmu_access_restore(&unit->regs);

	if (unit->regs.left.addr)
		ipmu_access_explain_left(&unit->regs, unit->lessee->left);
	unit->regs.left.addr = 0;
	return rc == -ESTALE ? 0 : rc;
}

/* Restore what dead processes left changed. They may have died between any two steps, so all saved
 * registers are read again. If no change was under way, a value that differs from the journal was
 * written by somebody else since. If this restore is cut short too, the next process repeats it. */
static int unit_recover(struct ipmu_unit *unit, char *why)
{
	struct ipmu_regs *p = &unit->regs;
	const char *was = ipmu_trace_for("recovery");
	int saved = p->nsaved, rc;

	if (!unit->lease.header.changing)
		ipmu_access_leave_changed(p);
	ipmu_file_begin_change(unit, false);	/* a failure of it does not matter */
	rc = ipmu_access_refresh(p);
	if (!rc)
		rc = unit_restore(unit);
	ipmu_trace_for(was);
	if (!rc) {
		/* Nothing is saved and no counter is programmed any more. */
		unit->lease.header.nsaved = unit->lease.header.nslots = 0;
		ipmu_file_forget_slots(unit);
		ipmu_file_begin_change(unit, true);
		return 0;
	}
	p->nsaved = saved;
	return ipmu_fail(why, rc, "%s: what a killed process left changed cannot be restored "
			 "through %s: %s; to give up the old values, remove the file",
			 unit->lease.path, p->msr_path, strerror(-rc));
}

/* ---- entering and leaving */

static int journal_reload(struct ipmu_unit *unit, char *why)
{
	struct ipmu_lease *l = &unit->lease;
	struct ipmu_journal_header h;
	const char *was;
	int rc;

	if (l->sync == IPMU_JOURNAL_READ && pread(l->fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) &&
	    memcmp(&h, &l->header, sizeof(h)) == 0 && !h.changing)
		return 0;
	rc = ipmu_file_load(unit, why);
	if (rc || !l->header.changing || (!ipmu_lease_joined(l) && !unit->regs.peers))
		return rc;
	/* A process died while it changed registers, and others still count. If the journal cannot
	 * be written, it still says so. */
	was = ipmu_trace_for("recovery");
	rc = ipmu_access_refresh(&unit->regs);
	ipmu_trace_for(was);
	ipmu_file_record_all(unit);
	return rc ? ipmu_fail(why, rc, "%s: registers cannot be read: %s", unit->regs.msr_path,
			      strerror(-rc)) : 0;
}

/* A counter that nobody uses may not hold what another process has programmed: it is programmed
 * anew. */
static void unit_note_others(struct ipmu_unit *unit)
{
	int fd = unit->lease.fd;
	bool counting = unit->regs.peers && ipmu_locks_counters_taken(fd, IPMU_ALL, 0);

	unit->lease.others_count = counting;
	for (int t = 0; t < IPMU_TYPES_MAX; t++)
		for (int b = 0; unit->boxes[t] && b < unit->found.nboxes[t]; b++) {
			struct ipmu_box *box = &unit->boxes[t][b];

			box->foreign = counting ? ipmu_locks_counters_taken(fd, t, b) : 0;
			box->elsewhere = counting && ipmu_locks_box_taken(fd, t, b);
			for (int c = 0; unit->regs.peers && c < IPMU_COUNTERS_MAX; c++)
				if (!ipmu_slot_taken(box, c))
					box->slots[c].programmed = false;
		}
}

/* A user may have removed the file, as our messages advise, and other processes have made a new
 * one. */
static int unit_reopen(struct ipmu_unit *unit, char *why)
{
	struct ipmu_lease *l = &unit->lease;
	struct stat st;

	if (ipmu_lease_joined(l) || fstat(l->fd, &st) || st.st_nlink)
		return 0;
	ipmu_lease_close(unit);
	return ipmu_lease_open(unit, why);
}

/* If the file has gone, the next process makes a new one, which does not show this process. */
static int unit_check_file(struct ipmu_unit *unit, char *why)
{
	struct ipmu_lease *l = &unit->lease;
	struct stat st;

	if (!ipmu_lease_joined(l))
		return 0;
	if (fstat(l->fd, &st) || !st.st_nlink)
		return ipmu_fail(why, -EBADMSG, "%s has been removed or replaced while this "
				 "process counts: the registers that it has changed are restored "
				 "from its memory; end all programs that count", l->path);
	if (st.st_size != (off_t)sizeof(struct ipmu_journal))
		l->sync = IPMU_JOURNAL_UNREAD;
	return 0;
}

static int refuse_mutex(const struct ipmu_lease *l, int rc, char *why)
{
	if (rc == -EBUSY)
		return ipmu_fail(why, rc, "%s: another process keeps it locked: it may have been "
				 "suspended; 'ipmu-restore --dry-run' names those that count",
				 l->path);
	if (rc == -EINTR)
		return ipmu_fail(why, rc, "%s: a signal came while another process had it locked: "
				 "no register has been changed", l->path);
	return ipmu_fail(why, rc, "%s cannot be locked: %s", l->path, strerror(-rc));
}

static int unit_enter(struct ipmu_unit *unit, char *why)
{
	struct ipmu_lease *l = &unit->lease;
	int rc = unit_reopen(unit, why);

	if (rc)
		return rc;
	rc = ipmu_locks_take_mutex(unit->lessee, l->fd);
	if (rc)
		return refuse_mutex(l, rc, why);
	unit->regs.peers = ipmu_locks_process_taken(l->fd, IPMU_ALL);
	rc = unit_check_file(unit, why);
	if (!rc)
		rc = journal_reload(unit, why);
	if (!rc && unit->regs.nsaved && !ipmu_lease_joined(l) && !unit->regs.peers)
		rc = unit_recover(unit, why);
	if (rc) {
		l->sync = IPMU_JOURNAL_UNREAD;
		if (!ipmu_lease_joined(l))
			unit->regs.nsaved = 0;
		ipmu_locks_release_mutex(l->fd);
		return rc;
	}
	unit_note_others(unit);
	return 0;
}

/* ---- descriptors that the program has closed, or replaced by its own files */

static void unit_lose(struct ipmu_unit *unit)
{
	for (int t = 0; t < IPMU_TYPES_MAX; t++)
		for (int b = 0; unit->boxes[t] && b < unit->found.nboxes[t]; b++)
			for (int c = 0; c < IPMU_COUNTERS_MAX; c++) {
				struct ipmu_slot *slot = &unit->boxes[t][b].slots[c];
				int none = 0;

				if (ipmu_type_runs_free(unit->family->types[t]))
					continue;
				slot->programmed = false;
				atomic_compare_exchange_strong(&slot->lost, &none, EBADF);
			}
	unit->lease.sync = IPMU_JOURNAL_UNREAD;
}

/* Open the journal again, as a new process would. The locks were lost with the old descriptor, so
 * other processes may have taken the counters, and entering restores the registers unless they
 * have. */
static int journal_regain(struct ipmu_unit *unit, bool *rejoin, char *why)
{
	int rc;

	ipmu_lease_close(unit);
	rc = ipmu_lease_open(unit, why);
	if (rc)
		return rc;
	unit->regs.nsaved = 0;
	*rejoin = ipmu_lease_joined(&unit->lease);
	if (*rejoin) {
		ipmu_signals_off();
		ipmu_lease_state_move(&unit->lease, IPMU_LEASE_LOSE);
	}
	return 0;
}

/* A signal handler cannot: opening allocates memory. The journal leaves it to the next process. */
static int unit_regain(struct ipmu_unit *unit, bool *rejoin, char *why)
{
	const struct ipmu_lease *l = &unit->lease;
	bool journal = l->fd < 0 ? ipmu_state_none() : descriptor_is(l->fd, l->is);
	int rc;

	if (journal && ipmu_access_is_ours(&unit->regs))
		return 0;
	if (ipmu_signals_handling())
		return -EBADF;
	unit_lose(unit);
	rc = journal ? 0 : journal_regain(unit, rejoin, why);
	return rc ? rc : ipmu_access_reopen(&unit->regs, why);
}

/* Without a journal, an earlier end has left its registers in memory. */
static int unit_restore_again(struct ipmu_unit *unit, char *why)
{
	int rc = unit_restore(unit);

	return rc ? ipmu_fail(why, rc, "%s: registers of an earlier count cannot be restored: %s",
			      unit->regs.msr_path, strerror(-rc)) : 0;
}

static int unit_rejoin(struct ipmu_unit *unit, char *why)
{
	int rc = ipmu_share_join(unit, why);

	if (rc)
		ipmu_lease_leave(unit);
	return rc;
}

int ipmu_lease_enter(struct ipmu_unit *unit, char *why)
{
	struct ipmu_lease *l = &unit->lease;
	bool rejoin = false;
	int rc;

	if (unit->lessee->pid != getpid())
		return ipmu_fail(why, -ECHILD, "this process was forked from the one that opened "
				 "the counters: open them anew");
	ipmu_signals_hold(unit->lessee);
	rc = ipmu_signals_ending() ? -ECANCELED : unit_regain(unit, &rejoin, why);
	if (!rc && l->fd >= 0)
		rc = unit_enter(unit, why);
	else if (!rc && l->state == IPMU_LEASE_UNRESTORED)
		rc = unit_restore_again(unit, why);
	if (rc) {
		ipmu_signals_release(unit->lessee);
		return rc;
	}
	ipmu_lease_state_move(l, IPMU_LEASE_ENTER);
	return rejoin ? unit_rejoin(unit, why) : 0;
}

void ipmu_lease_leave(struct ipmu_unit *unit)
{
	struct ipmu_lease *l = &unit->lease;

	if (l->fd >= 0 && (l->sync == IPMU_JOURNAL_AHEAD ||
			   l->header.nsaved != (uint32_t)unit->regs.nsaved)) {
		l->header.nsaved = (uint32_t)unit->regs.nsaved;
		if (!l->header.nsaved) {
			l->header.nslots = 0;
			ipmu_file_forget_slots(unit);
		}
		l->header.changing = 0;
		l->header.generation++;
		l->sync = ipmu_file_put_header(unit) ? IPMU_JOURNAL_UNREAD : IPMU_JOURNAL_READ;
	}
	if (l->fd >= 0)
		ipmu_locks_release_mutex(l->fd);
	ipmu_lease_state_move(l, IPMU_LEASE_LEAVE);
	ipmu_signals_release(unit->lessee);
}

/* ---- opening, ending, closing */

int ipmu_lease_open(struct ipmu_unit *unit, char *why)
{
	struct ipmu_lease *l = &unit->lease;
	const char *dir_path;
	char name[64];
	int dir;

	*l = (struct ipmu_lease){ .state = l->state, .fd = -1 };
	if (ipmu_state_none())
		return 0;
	if (!unit->lessee->boot_id[0])
		return ipmu_fail(why, -EIO, IPMU_STATE_BOOT " cannot be read: without it a journal "
				 "of an earlier boot cannot be told from one of this boot");
	dir = ipmu_state_open(true, &dir_path, why);
	if (dir < 0)
		return dir;
	ipmu_state_name(unit->family, unit->place, name);
	l->fd = ipmu_state_file(dir, dir_path, name, true, why);
	close(dir);
	if (l->fd < 0)
		return l->fd;
	l->is = descriptor_identity(l->fd);
	if (asprintf(&l->path, "%s/%s", dir_path, name) < 0) {
		l->path = NULL;
		ipmu_lease_close(unit);
		return ipmu_fail(why, -ENOMEM, "out of memory for a path");
	}
	unit->regs.record = ipmu_file_record;
	return 0;
}

void ipmu_lease_close(struct ipmu_unit *unit)
{
	descriptor_close(unit->lease.fd, unit->lease.is);
	free(unit->lease.path);
	unit->lease.path = NULL;
	unit->lease.fd = -1;
}

/* Registers that cannot be restored stay in the journal, for the next process to try. */
static int unit_restore_last(struct ipmu_unit *unit)
{
	int saved = unit->regs.nsaved, rc;

	if (unit->lease.fd >= 0)
		ipmu_file_begin_change(unit, false);	/* a failure of it does not matter */
	rc = unit_restore(unit);
	if (rc && unit->lease.fd >= 0)
		unit->regs.nsaved = saved;
	return rc;
}

static void unit_forget(struct ipmu_unit *unit)
{
	struct ipmu_lease *l = &unit->lease;

	if (unit->regs.nsaved)
		l->sync = IPMU_JOURNAL_UNREAD;
	if (l->fd >= 0)
		unit->regs.nsaved = 0;
	memset(l->held, 0, sizeof(l->held));
	memset(l->uses, 0, sizeof(l->uses));
	ipmu_signals_off();
}

/* The journal is lost: restore by this process's memory, unless other processes count. */
static int unit_restore_by_memory(struct ipmu_unit *unit, int reason)
{
	int rc;

	if (reason != -EBADMSG || ipmu_locks_process_taken(unit->lease.fd, IPMU_ALL))
		return reason;
	unit->regs.record = NULL;
	rc = unit_restore(unit);
	unit->regs.record = ipmu_file_record;
	return rc;
}

/* Entering restores what an earlier end has not restored. */
static int unit_end_again(struct ipmu_unit *unit)
{
	int rc = 0;

	if (unit->lease.state == IPMU_LEASE_UNRESTORED)
		rc = ipmu_lease_enter(unit, NULL);
	if (unit->lease.state == IPMU_LEASE_VISITING)
		ipmu_lease_leave(unit);
	return rc;
}

int ipmu_lease_end(struct ipmu_unit *unit)
{
	struct ipmu_lease *l = &unit->lease;
	bool inside;
	int rc;

	if (!ipmu_lease_joined(l))
		return unit_end_again(unit);
	rc = ipmu_lease_enter(unit, NULL);
	if (rc == -EBADMSG)	/* written anew now, if that could be done */
		rc = ipmu_lease_enter(unit, NULL);
	inside = !rc;
	if (!inside)
		rc = unit_restore_by_memory(unit, rc);
	else if (!unit->regs.peers)
		rc = unit_restore_last(unit);
	if (descriptor_is(l->fd, l->is))
		ipmu_locks_release_all(l->fd);
	if (inside)
		ipmu_lease_leave(unit);
	if (ipmu_lease_state_move(l, rc ? IPMU_LEASE_FAIL : IPMU_LEASE_END))
		unit_forget(unit);
	return rc;
}

void ipmu_lease_disown(struct ipmu_unit *unit)
{
	descriptor_close(unit->lease.fd, unit->lease.is);
	unit->lease.fd = -1;
	ipmu_lease_state_move(&unit->lease, IPMU_LEASE_LOSE);
	unit->regs.nsaved = 0;
	unit->regs.record = NULL;
}

/* ---- without a system */

/* Enter the unit once, which restores its registers. */
static int unit_visit(struct ipmu_unit *unit, char *why)
{
	int rc = ipmu_lease_open(unit, why);

	if (rc)
		return rc;
	rc = ipmu_lease_enter(unit, why);
	if (!rc)
		ipmu_lease_leave(unit);
	if (!rc && unit->lessee->left[0])
		rc = ipmu_fail(why, -ESTALE, "%s", unit->lessee->left);
	ipmu_lease_close(unit);
	return rc;
}

static int unit_open_and_visit(const struct ipmu_topology *topo, struct ipmu_unit *unit, char *why)
{
	int cpu = ipmu_family_reach(unit->family, topo, unit->place), rc;

	if (cpu < 0 && unit->family->scope != IPMU_SCOPE_PACKAGE)
		return ipmu_fail(why, cpu, "CPU %d is offline, or outside the cpuset of this "
				 "process: bring it back, and run ipmu-restore again", unit->place);
	if (cpu < 0)
		return ipmu_fail(why, cpu, "this process may use none of its CPUs: widen the "
				 "cpuset");
	ipmu_trace_open();
	rc = ipmu_family_open(&unit->regs, unit->family, cpu, why);
	if (rc)
		return rc;
	rc = unit_visit(unit, why);
	ipmu_access_close(&unit->regs);
	return rc;
}

int ipmu_lease_recover(const struct ipmu_topology *topo, const struct ipmu_family *family,
			int place, uint64_t *deadline_ns, char *why)
{
	struct ipmu_lessee lessee = { .pid = getpid(), .deadline_ns = *deadline_ns,
				      .self = ipmu_process_self() };
	struct ipmu_unit *unit = calloc(1, sizeof(*unit));
	int rc = -ENOMEM;

	lessee.journal = malloc(sizeof(*lessee.journal));
	if (unit && lessee.journal) {
		ipmu_state_boot(lessee.boot_id);
		unit->place = place;
		unit->family = family;
		unit->lessee = &lessee;
		rc = unit_open_and_visit(topo, unit, why);
		*deadline_ns = lessee.deadline_ns;
	} else {
		ipmu_fail(why, rc, "out of memory for its registers");
	}
	free(lessee.journal);
	free(unit);
	return rc;
}
