/* SPDX-License-Identifier: MIT */
/* The processes of a machine in their order: which one runs next. Each process of emulated threads
 * has a record in the segment with its state and its clock. One of them, the owner, has the
 * machine's turn: its threads alone execute the program's code and change the machine. The next one
 * is the ready process with the smallest clock, the older one of two.
 *
 * Records are data: nothing in here waits. All functions need the mutex, which is held for moments.
 * It is robust: the kernel releases it when its owner dies. */
#ifndef VPMU_PROCESSES_H
#define VPMU_PROCESSES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define VPMU_PROCESSES_MAX 1024u
#define VPMU_PROCESSES_OUTSIDE 256u

enum vpmu_process_state {
	VPMU_PROCESS_NONE,	/* a free record */
	VPMU_PROCESS_STARTS,	/* forked; it has not requested the turn yet */
	VPMU_PROCESS_READY,
	VPMU_PROCESS_RUNS,
	VPMU_PROCESS_OUTSIDE,	/* all its threads are in calls of the host's kernel */
	VPMU_PROCESS_ENDS,	/* it executes no code any more; the host's kernel ends it */
};

struct vpmu_process {
	uint32_t state;		/* enum vpmu_process_state */
	uint32_t pid;		/* 0: not known to its parent yet */
	uint32_t go;		/* 1: it has got the turn; a futex of the host */
	uint32_t thread;	/* the thread that executes, or was the last one to do so */
	uint32_t calls;		/* system calls begun and ended: odd inside of one */
	uint32_t pad;
	uint64_t number;	/* in the order of creation */
	uint64_t clock, began;	/* its order; its clock when its turn began */
};

struct vpmu_processes {
	pthread_mutex_t mutex;
	uint32_t owner;		/* 1 more than its record's index; 0: none */
	uint32_t used;		/* records up to the last one that was ever used */
	uint32_t asked;		/* the owner has to compare its clock with the others' */
	uint32_t unsettled;	/* a process or thread may be about to become ready */
	uint64_t numbers;
	/* Threads in calls of the host's kernel; 0: a free entry. */
	uint32_t outside[VPMU_PROCESSES_OUTSIDE];
	struct vpmu_process of[VPMU_PROCESSES_MAX];
};

void vpmu_processes_power_on(struct vpmu_processes *all);
void vpmu_processes_lock(struct vpmu_processes *all);
void vpmu_processes_unlock(struct vpmu_processes *all);

/* A new record, or NULL: there is no room. Its number is the greatest. */
struct vpmu_process *vpmu_process_add(struct vpmu_processes *all, uint32_t pid,
				      enum vpmu_process_state state, uint64_t clock);
/* NULL: it has no record. */
struct vpmu_process *vpmu_process_find(struct vpmu_processes *all, uint32_t pid);
/* NULL: none has the turn. */
struct vpmu_process *vpmu_process_owner(struct vpmu_processes *all);
/* The ready process with the smallest clock, but for this one (NULL: for none); NULL: none. */
struct vpmu_process *vpmu_process_least(struct vpmu_processes *all,
					const struct vpmu_process *but);
/* Passes the turn to the next one, and returns it; NULL: none is ready. */
struct vpmu_process *vpmu_process_pass(struct vpmu_processes *all);

/* Puts a thread on the list of those that are outside. Returns its entry, or NULL. */
uint32_t *vpmu_process_leaves(struct vpmu_processes *all, uint32_t tid);

#endif
