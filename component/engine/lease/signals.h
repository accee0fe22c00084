/* SPDX-License-Identifier: MIT */
/* Signals that end the process. */
#ifndef IPMU_SIGNALS_H
#define IPMU_SIGNALS_H

#include "unit.h"

/* What is done before one of them ends the process: async-signal-safe. */
void ipmu_signals_at_end(void (*act)(void));
/* Fatal signals: put the registers back first, from the first unit joined to the last one
 * parted. */
void ipmu_signals_on(void);
void ipmu_signals_off(void);
/* Hold them off while registers are changed. */
void ipmu_signals_hold(struct ipmu_lessee *lessee);
void ipmu_signals_release(struct ipmu_lessee *lessee);
/* Has one come meanwhile that ends the process, or that the program wants to see? */
bool ipmu_signals_waiting(const struct ipmu_lessee *lessee);
/* A write beyond the limit of file size has failed: that is no reason to end the process. */
void ipmu_signals_swallow_file_size(void);
/* In a forked child: the handlers that were replaced are its parent's. */
void ipmu_signals_forget(void);
/* The process is being ended by a signal: only the thread that ends it may go on. */
bool ipmu_signals_ending(void);

#endif
