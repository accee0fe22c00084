/* SPDX-License-Identifier: MIT */
/* Follows what each thread does, for profiles by calls and by data: its shadow stack, the blocks
 * that it allocates, and its last accesses. It has callbacks of its own at calls, returns, jumps to
 * functions, and first instructions of functions; no code of the program is changed. */
#ifndef VPMU_FEED_FOLLOWER_H
#define VPMU_FEED_FOLLOWER_H

#include "../qemu_plugin_api.h"
#include "calls.h"
#include "contended_lines.h"
#include "notes.h"
#include "objects.h"
#include "symbols.h"

/* An allocation of which the function has not returned yet. sp: where its return address is. */
struct vpmu_allocating {
	enum vpmu_allocator kind;
	uint64_t sp, argument[3];
	struct vpmu_call_chain by;
};

struct vpmu_follower {
	struct vpmu_calls calls;
	struct vpmu_line_user *lines;
	struct vpmu_allocating allocating;
	bool knows_stack;
};

extern bool vpmu_following;
extern __thread struct vpmu_follower *vpmu_follower __attribute__((tls_model("initial-exec")));

/* QEMU's side: the stack pointer, arguments from number 0 at a function's first instruction, a
 * function's result at its return, and the program's memory; NULL where it may not read that. */
struct vpmu_follow_host {
	uint64_t (*stack)(void);
	uint64_t (*argument)(uint32_t number);
	uint64_t (*result)(void);
	void *(*memory)(uint64_t address, uint64_t bytes, bool write);
};
extern struct vpmu_follow_host vpmu_follow_host;
extern struct vpmu_arcs vpmu_follow_arcs;

/* After the profile has begun, if the process is to be followed. */
void vpmu_follow_begin(const struct vpmu_follow_host *with);
/* Makes the calling thread's; NULL: no memory. */
struct vpmu_follower *vpmu_follower_begin(void);

/* The thread executes from now on. */
void vpmu_follow_resume(struct vpmu_follower *f);
/* The thread enters the block, of which nothing is counted yet. */
void vpmu_follow_block_slow(const struct vpmu_note *note);
static inline void vpmu_follow_block(const struct vpmu_note *note)
{
	struct vpmu_follower *f;

	if (!__builtin_expect(vpmu_following, 0))
		return;
	f = vpmu_follower;
	if (__builtin_expect(!f || f->calls.entered, 0))
		vpmu_follow_block_slow(note);
	else if (__builtin_expect(vpmu_profile.totals != &f->calls.total, 0))
		vpmu_follow_resume(f);
}

/* The thread is about to make this access. */
static inline void vpmu_follow_access(struct vpmu_note *note, qemu_plugin_meminfo_t info,
				      uint64_t address)
{
	uint64_t at = address << 1 | (info & VPMU_INFO_STORE ? 1 : 0);

	if (!__builtin_expect(vpmu_profile.last != NULL, 0))
		return;
	vpmu_profile.at = at;
	vpmu_profile.last[at >> 7 & (VPMU_LAST_LINES - 1)] =
		(struct vpmu_last_access){ note, at };
}

/* A snoop of another agent for the line has been answered: it had the line. */
struct vpmu_snooped_line { uint64_t line; uint32_t package, agent, other, kind; };
void vpmu_follow_snoop(const struct vpmu_snooped_line *s);

/* A system call of the thread has been made. */
void vpmu_follow_system_call(int64_t number, const int64_t arguments[6], int64_t answer);
void vpmu_follow_thread_end(void);
void vpmu_follow_forked(void);
/* The process ends, or is replaced: what open calls have so far is added. */
void vpmu_follow_settle(void);

#endif
