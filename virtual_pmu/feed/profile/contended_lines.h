/* SPDX-License-Identifier: MIT */
/* Lines that threads take from each other: which instruction of which thread has requested the
 * line, by which byte of it, and how the other thread has accessed the line last.
 *
 * A thread that is ahead keeps a line and hits it, which counts nothing, and both directions of a
 * contended access are counted for the thread that is behind (cache/contention.h). So each thread
 * keeps its last access to each of 1024 lines. The table outlives the thread, because the host may
 * execute a whole thread before the one that it contends with. An entry names its address: one that
 * another line has overwritten is ignored. */
#ifndef VPMU_FEED_CONTENDED_LINES_H
#define VPMU_FEED_CONTENDED_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "charge.h"

#define VPMU_LAST_LINES 1024u

/* A thread's accesses. agent: that it executed on last. */
struct vpmu_line_user {
	struct vpmu_line_user *next;
	uint32_t thread, package, agent;
	bool ended;
	struct vpmu_last_access last[VPMU_LAST_LINES];
};

/* The table of a new thread, which gets the next number; NULL: no memory. */
struct vpmu_line_user *vpmu_line_user_begin(void);
void vpmu_line_user_end(struct vpmu_line_user *u);

/* An access to a line that another agent of the package has, and the kind of the answer. line: the
 * address of its first byte; at: as above, of the access, which may begin before the line; 0: a
 * code fetch. */
struct vpmu_line_request {
	struct vpmu_line_user *user;
	struct vpmu_note *note;
	uint64_t line, at;
	uint32_t package, agent, kind;
};
void vpmu_contended_line(const struct vpmu_line_request *q);
/* In the child of a fork: its counts begin at 0, and the thread that has forked is its only one. */
void vpmu_contended_lines_forked(struct vpmu_line_user *only);

#endif
