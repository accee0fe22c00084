/* SPDX-License-Identifier: MIT */
/* Which of two ways of doing something takes less time just now: both are tried in turns, and the
 * better one then stays for a while. */
#ifndef VPMU_FEED_TRIAL_H
#define VPMU_FEED_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#define VPMU_TRIAL_WINDOWS 8u
#define VPMU_TRIAL_EVENTS 128u		/* in one of them */
#define VPMU_TRIAL_LASTS 65536u		/* events until the next trial */

struct vpmu_trial {
	bool second;		/* the way that is taken */
	uint32_t windows;	/* left of this trial; 0: it is decided */
	uint32_t from, until;	/* numbers of events */
	uint64_t began;		/* time at `from` */
	uint64_t least[2];	/* time that an event took in a way's best window, in 16ths */
};

/* All zero is a trial that has not begun. Call it at event `until` or later: t->second says what to
 * do from there to the new `until`. Events are counted modulo 2^32, time in any unit. */
void vpmu_trial_go_on(struct vpmu_trial *t, uint32_t event, uint64_t time);

#endif
