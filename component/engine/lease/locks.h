/* SPDX-License-Identifier: MIT */
/* Locks on bytes of a unit's file. */
#ifndef IPMU_LOCKS_H
#define IPMU_LOCKS_H

#include "unit.h"

/* From here on an operation, over however many units, waits for other processes 10 s in all. */
void ipmu_wait_begin(struct ipmu_lessee *lessee);
void ipmu_wait_at_most(struct ipmu_lessee *lessee, uint64_t ns);
int ipmu_lock_mutex(struct ipmu_lessee *lessee, int fd);	/* -EBUSY, -EINTR: a fatal signal */
void ipmu_unlock_mutex(int fd);
int ipmu_lock_process(int fd, int slot);	/* -EAGAIN: another process has it */
void ipmu_unlock_process(int fd, int slot);
bool ipmu_process_taken(int fd, int slot);	/* by another; IPMU_ALL: any */
int ipmu_lock_box(int fd, int type, int box);	/* -EAGAIN */
void ipmu_unlock_box(int fd, int type, int box);
bool ipmu_box_held(int fd, int type, int box);	/* by another */
int ipmu_lock_counter(int fd, int type, int box, int ctr);
void ipmu_unlock_counter(int fd, int type, int box, int ctr);
/* Counters of the box that other processes use; type IPMU_ALL: is any counter of any box used? */
uint32_t ipmu_counters_used(int fd, int type, int box);

#endif
