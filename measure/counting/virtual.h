/* SPDX-License-Identifier: MIT */
/* The virtual machine that this process runs beside, if there is one: `ipmu-run --on` is native,
 * the program alone is emulated. On silicon, and under a booted machine's kernel, there is none. */
#ifndef IPMU_RUN_VIRTUAL_H
#define IPMU_RUN_VIRTUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool virtual_is_beside(void);
/* Nanoseconds on the machine's clock, which advances only while a program executes. */
uint64_t virtual_clock_ns(void);
/* All reads between these two calls see one moment of the machine. */
void virtual_stop(void);
void virtual_go(void);
/* Empties the machine's caches. False: programs run on it, or there is none. */
bool virtual_refresh(void);
/* This event, by its full name, is counted: the machine warns the user if it does not drive it. */
void virtual_count(const char *event);
/* False: this process is emulated, and programs that it starts are counted as was set before. */
bool virtual_is_native(void);
/* Nothing but processes of this program is counted; and how many such programs were executed. */
void virtual_only(const char *program);
uint64_t virtual_chosen(void);
/* Programs on the machine until now. False: there is none. */
struct machine_programs;
bool virtual_programs(struct machine_programs *out);
/* Lets a kind of occurrence of a profile occur on a machine that nothing runs on (MACHINE_RAISE).
 * False: there is no such kind, or not so often. */
bool virtual_raise(const char *kind, int times);
/* Pauses profiles of programs on the machine, if virtual_profile() was called. */
void virtual_pause(bool on);
/* Programs that are started from now on write profiles into the folder; data: by data, too. */
void virtual_profile(const char *folder, bool data);
/* The seed of the machine's addresses and random numbers. False: there is none. */
bool virtual_seed(uint64_t *out);
/* The machine's clock estimates time: its instructions take what published tables say. False: each
 * takes a clock. So it does on a booted machine, whose kernel has no such device. */
bool virtual_clock_estimates(void);
/* Geometry and latencies on one line. False: there is none. */
bool virtual_geometry(char *text, size_t bytes);

#endif
