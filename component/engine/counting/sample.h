/* SPDX-License-Identifier: MIT */
/* Reads of a session's counters. */
#ifndef IPMU_SAMPLE_H
#define IPMU_SAMPLE_H

#include "session_data.h"

/* Let the counts of all counter uses begin, once their counters are programmed. */
int ipmu_sample_baselines(const struct ipmu_system *sys, struct ipmu_plan *plan);

/* Mark counters of running sessions as lost if the machine was suspended since. Lock held. */
void ipmu_sample_notice_sleep(const struct ipmu_system *sys);

/* Read all counters once more. The session counts; the caller holds the lock or is announced as a
 * reader. A counter that cannot be read any more, or was lost, makes its use lost: that is no error
 * here. */
int ipmu_sample_read(struct ipmu_session *s);

/* Mark the uses of counters that are known to be lost, or were suspended since, without a read. The
 * lock is held. */
void ipmu_sample_losses(struct ipmu_session *s);

/* Mark this counter use as lost with errno `what`, unless it is lost already. */
void ipmu_sample_lose(struct ipmu_session *s, struct ipmu_use *use, int what);

/* 0, or the error of the session's first lost counter, with a sentence. */
int ipmu_sample_lost(const struct ipmu_session *s, char *why);

#endif
