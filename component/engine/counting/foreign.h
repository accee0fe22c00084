/* SPDX-License-Identifier: MIT */
/* A counter that another process counts with is shared as it is. That it counts what the journal
 * says is looked up in the registers: else a file and its locks could stand for a count of 0.
 * Lock held, the units entered. -EBUSY and a sentence: the registers say otherwise. */
#ifndef IPMU_FOREIGN_H
#define IPMU_FOREIGN_H

#include "session.h"

static inline bool ipmu_use_foreign(const struct ipmu_use *use)
{
	return use->box->foreign >> use->ctr & 1;
}

/* Is it programmed for that? One read for each register that the choice sets. */
int ipmu_foreign_programmed(const struct ipmu_use *use, const char *event, char *why);

/* Is it switched on, once this session has switched on its own? */
int ipmu_foreign_running(const struct ipmu_session *s, char *why);

/* Before this session's counters are let go of: has somebody outside programmed one of them, or
 * switched it off, since? Then its count is lost (EBUSY), and what they have written stays. */
void ipmu_foreign_look_back(struct ipmu_session *s);

/* Where that has happened, once nobody counts there: the other registers are put back, so that the
 * next start finds what there is. */
void ipmu_foreign_withdraw(const struct ipmu_session *s);

/* Else nothing may be added to what still counts there. */
int ipmu_foreign_refuse(const struct ipmu_session *s, char *why);

#endif
