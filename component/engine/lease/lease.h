/* SPDX-License-Identifier: MIT */
/* Layer lease: which process may write which registers, also after the death of others. The states
 * of a lease are in lease_state.h.
 *
 * Each unit has one file in the state directory, which is journal (journal.h) and lock in one.
 * Locks are open-file-description locks on bytes of it, so the kernel releases those of a dead
 * process:
 *
 *   - the mutex: held while registers are changed, for a short time;
 *   - one byte for each process that takes part, from its first start until it parts; the last one
 *     to part restores the registers;
 *   - the programmer of a box: one process with a running session there;
 *   - the users of a counter: all processes with a running session that reads it.
 *
 * A box with another process's programmer is only read; counters that others use are kept. If all
 * processes have died, the next one to enter restores the registers first.
 *
 * Two systems in one process are as two processes. Nothing here is done for a read. */
#ifndef IPMU_LEASE_H
#define IPMU_LEASE_H

#include "unit.h"

/* All of these: lock of the system held. */

/* Open the unit's file; with IPMU_STATE_DIR=none there is none, which is fine. */
int ipmu_lease_open(struct ipmu_unit *unit, char *why);
void ipmu_lease_close(struct ipmu_unit *unit);

/* Between these two, registers may be changed, by this process only. Entering first restores what
 * dead processes have left behind, and then finds out about the others. -EBUSY: another process
 * stays inside. -EINTR: so it does, and a signal is to end this one. -EBADMSG: the journal is
 * damaged; if this process takes part it has been written anew by now, if that can be done.
 * -ECHILD: this is a forked child, and the registers are its parent's. */
int ipmu_lease_enter(struct ipmu_unit *unit, char *why);
void ipmu_lease_leave(struct ipmu_unit *unit);

/* Outside: end this process's part in the unit. Registers are restored, unless other processes
 * still count; then the last of them restores them. Tries again if that failed before.
 * Async-signal-safe if no thread is inside. */
int ipmu_lease_end(struct ipmu_unit *unit);

/* In a forked child: the registers, the file and its locks are the parent's. */
void ipmu_lease_disown(struct ipmu_unit *unit);

/* Restore what dead processes have left on a unit, through one of its CPUs. The caller has no
 * system open. *deadline_ns: as in struct ipmu_lessee, for all units of an operation. -ESTALE: a
 * foreign user has written a register since, and `why` names it. */
int ipmu_lease_recover(const struct ipmu_topology *topo, const struct ipmu_family *family,
		       int place, uint64_t *deadline_ns, char *why);

#endif
