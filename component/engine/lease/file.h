/* SPDX-License-Identifier: MIT */
/* A unit's file: the journal as it is written and read. A failed write returns -EIO, for which
 * ipmu_access_explain has the sentence. The mutex is held. */
#ifndef IPMU_FILE_H
#define IPMU_FILE_H

#include "unit.h"

int ipmu_file_put(struct ipmu_unit *unit, const void *bytes, size_t length, size_t offset);
int ipmu_file_put_header(struct ipmu_unit *unit);
/* The file records from now until leaving that this process changes registers: if it dies
 * meanwhile, the next one reads what they hold. */
int ipmu_file_begin_change(struct ipmu_unit *unit, bool header_differs);
int ipmu_file_record(struct ipmu_regs *p, int i);
/* All saved registers, after ipmu_access_refresh(): other processes trust the journal's rows. */
int ipmu_file_record_all(struct ipmu_unit *unit);
void ipmu_file_forget_slots(struct ipmu_unit *unit);
int ipmu_file_load(struct ipmu_unit *unit, char *why);

/* Remove, before the registers change, and write, afterwards, what a counter is programmed for.
 * Other processes read it. */
int ipmu_file_forget(struct ipmu_box *box, int ctr);
int ipmu_file_describe(struct ipmu_box *box, int ctr);

/* Does that file of the state directory record changed registers? */
bool ipmu_file_has_saved(int dir, const char *name);

#endif
