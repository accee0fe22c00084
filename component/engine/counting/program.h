/* SPDX-License-Identifier: MIT */
/* From a session's plan to registers and back. Lock held, the plan's units entered
 * (lease.h). */
#ifndef IPMU_PROGRAM_H
#define IPMU_PROGRAM_H

#include "session_data.h"

/* Save what will change, stop units that no session uses, program the counters that the plan has
 * been given, and let the counts begin. After a failure no counter runs for it. */
int ipmu_program_write(struct ipmu_session *s, char *why);

/* Add (by 1) or remove (by -1) a session as a user of the plan's counters. */
void ipmu_program_use(struct ipmu_session *s, int by);

/* Start the counters that sessions use, and stop the others. */
int ipmu_program_switch(struct ipmu_session *s, enum ipmu_batch_refused refused, char *why);

/* The same after a session has stopped. Also clear extra registers that no session needs; *rc_clear
 * is the result of that. */
int ipmu_program_end(struct ipmu_session *s, int *rc_clear, char *why);

#endif
