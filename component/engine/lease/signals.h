/* SPDX-License-Identifier: MIT */
/* Signals that end the process. */
#ifndef IPMU_SIGNALS_H
#define IPMU_SIGNALS_H

#include "unit.h"

/* Set the function that runs before a fatal signal ends the process. It is async-signal-safe. */
void ipmu_signals_at_end(void (*act)(void));
/* Handle fatal signals: restore the registers first, from the first unit joined to the last one
 * parted. */
void ipmu_signals_on(void);
void ipmu_signals_off(void);
/* Block fatal signals while registers are changed. */
void ipmu_signals_hold(struct ipmu_lessee *lessee);
void ipmu_signals_release(struct ipmu_lessee *lessee);
/* Is a signal pending that ends the process, or that the program handles? */
bool ipmu_signals_waiting(const struct ipmu_lessee *lessee);
/* A write beyond the limit of file size has failed: that is no reason to end the process. */
void ipmu_signals_swallow_file_size(void);
/* In a forked child, remove the handlers, which were its parent's. */
void ipmu_signals_forget(void);
/* True if a signal is ending the process through another thread: the caller must not continue. */
bool ipmu_signals_ending(void);
/* Is this thread in the handler that ends the process? */
bool ipmu_signals_handling(void);

#endif
