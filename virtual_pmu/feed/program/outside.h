/* SPDX-License-Identifier: MIT */
/* Code outside of named regions, if ipmu-run counts nothing else (--only-regions). It advances the
 * clock, so that threads take turns and time passes, and touches no cache. */
#ifndef VPMU_FEED_OUTSIDE_H
#define VPMU_FEED_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

/* where: the plugin's argument `regions`; NULL: none. retranslate: drops all translations. */
void vpmu_outside_begin(const char *where, void (*retranslate)(void));
/* True: blocks that are translated now are outside. */
bool vpmu_outside(void);
/* From this clock on. UINT64_MAX: not known. */
extern uint64_t vpmu_outside_from;
/* The clock has come so far. */
void vpmu_outside_leave(void);

#endif
