/* SPDX-License-Identifier: MIT */
/* The threads that a feed watches: of a program in user mode, or the CPUs of a whole machine. Each
 * is a host thread. */
#ifndef VPMU_FEED_EMULATED_THREAD_H
#define VPMU_FEED_EMULATED_THREAD_H

#include "../cache/write_combining.h"
#include "../cache/caches.h"
#include "pause_loop.h"

struct vpmu_emulated {
	struct vpmu_runner runner;
	struct vpmu_combining combining;
	bool waits;			/* inside a system call that can wait */
	bool polls;			/* inside one that only polls for events */
	bool sleeps;			/* and not counted as one that runs meanwhile */
	struct vpmu_spinning spinning;
	struct vpmu_thread *slot, spare;	/* spare: when the segment has no slot left */
};

/* State that all threads of this feed share. */
struct vpmu_feed {
	struct vpmu_segment *segment;
	struct vpmu_caches caches;
	uint64_t space;			/* of addresses */
	bool left_out;			/* --only: nothing of this process counts */
	/* A whole machine's CPU with QEMU's number has always this one; NULL: threads move. */
	uint32_t (*cpu_of)(unsigned int vcpu);
};
extern struct vpmu_feed vpmu_feed;

/* Initial-exec: one instruction to reach it, at every memory access. */
extern __thread struct vpmu_emulated *vpmu_self __attribute__((tls_model("initial-exec")));

/* Starts the calling thread, whose record becomes vpmu_self. */
struct vpmu_emulated *vpmu_emulated_start(unsigned int vcpu);
/* Notes the thread that creates this vcpu (NULL: none), and its clock: it may continue before its
 * child begins. */
void vpmu_emulated_parent(unsigned int vcpu, const struct vpmu_emulated *parent);
void vpmu_emulated_end(void);
/* Finds or makes the slot of this thread in the segment and starts its runner there. clock: its
 * parent's when that made it; 0: the first thread of a process, which begins at the newest. */
void vpmu_emulated_enter(struct vpmu_emulated *t, uint32_t parent, uint64_t clock);
/* Between these the thread touches no cache, and its logical processor is halted. */
void vpmu_emulated_sleep(struct vpmu_emulated *t);
void vpmu_emulated_wake(struct vpmu_emulated *t);
/* A halted logical processor does not execute. */
void vpmu_emulated_execute(struct vpmu_emulated *t, bool on);
/* Publishes what this thread still holds back: combined stores and its clock; or only this. */
void vpmu_emulated_publish(struct vpmu_emulated *t);
void vpmu_emulated_publish_clock(struct vpmu_emulated *t);

#endif
