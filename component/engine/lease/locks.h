/* SPDX-License-Identifier: MIT */
/* Locks on bytes of a unit's file. */
#ifndef IPMU_LOCKS_H
#define IPMU_LOCKS_H

#include "unit.h"

/* From here on an operation, over however many units, waits for other processes 10 s in all. */
void ipmu_locks_wait_begin(struct ipmu_lessee *lessee);
void ipmu_locks_wait_at_most(struct ipmu_lessee *lessee, uint64_t ns);
int ipmu_locks_take_mutex(struct ipmu_lessee *lessee, int fd);	/* -EBUSY, -EINTR: a fatal signal */
void ipmu_locks_release_mutex(int fd);
int ipmu_locks_take_process(int fd, int slot);	/* -EAGAIN: another process has it */
bool ipmu_locks_process_taken(int fd, int slot);	/* by another; IPMU_ALL: any */
int ipmu_locks_take_box(int fd, int type, int box);	/* -EAGAIN */
void ipmu_locks_release_box(int fd, int type, int box);
bool ipmu_locks_box_taken(int fd, int type, int box);	/* by another */
int ipmu_locks_take_counter(int fd, int type, int box, int ctr);
void ipmu_locks_release_counter(int fd, int type, int box, int ctr);
void ipmu_locks_release_all(int fd);	/* those of the process, its boxes and its counters */
/* Counters of the box that other processes use; type IPMU_ALL: is any counter of any box used? */
uint32_t ipmu_locks_counters_taken(int fd, int type, int box);

#endif
