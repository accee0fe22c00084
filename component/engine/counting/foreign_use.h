/* SPDX-License-Identifier: MIT */
/* Before a session shares another process's counter, the library checks that its registers match
 * the journal. Otherwise a file and its locks alone could pass for a count of 0. Lock held, the
 * units entered. -EBUSY and a sentence: they do not match. */
#ifndef IPMU_FOREIGN_USE_H
#define IPMU_FOREIGN_USE_H

#include "session_data.h"

static inline bool ipmu_use_foreign(const struct ipmu_use *use)
{
	return use->box->foreign >> use->ctr & 1;
}

/* Is the counter programmed for the use? One read for each register that the choice sets. */
int ipmu_foreign_programmed(const struct ipmu_use *use, const char *event, char *why);

/* Are the shared counters switched on, once this session has switched on its own? */
int ipmu_foreign_running(const struct ipmu_session *s, char *why);

/* Call before this session's counters are released. If somebody outside has programmed one or
 * switched it off since, its count is lost (EBUSY), and what they wrote stays. */
void ipmu_foreign_lose(struct ipmu_session *s);

/* Restore the other registers of such a unit once no session runs there, so that the next start
 * finds the actual state. */
void ipmu_foreign_release(const struct ipmu_session *s);

/* Refuse to add counters to such a unit while other sessions still count there. */
int ipmu_foreign_refuse(const struct ipmu_session *s, char *why);

#endif
