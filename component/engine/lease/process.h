/* SPDX-License-Identifier: MIT */
/* A process as it stands in a journal. */
#ifndef IPMU_PROCESS_H
#define IPMU_PROCESS_H

#include "journal.h"

/* This process, as others are to know it. */
struct ipmu_journal_process ipmu_process_self(void);
/* "1234 (name)"; a number of another pid namespace would name somebody else here. */
void ipmu_process_name(const struct ipmu_journal_process *process, char text[64]);

#endif
