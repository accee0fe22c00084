/* SPDX-License-Identifier: MIT */
/* Groups of system calls. `before` functions answer (true: *answer), or leave the call to the
 * host's kernel; `after` functions get its answer and may change it. */
#ifndef VPMU_SYSTEM_CALLS_H
#define VPMU_SYSTEM_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>

#include "../machine/segment.h"
#include "tree.h"

/* ---- files.c: by descriptor ---- */
bool vpmu_files_before(int64_t number, int64_t a[6], int64_t *answer);
void vpmu_files_after(int64_t number, const int64_t a[6], int64_t *answer);

/* ---- paths.c: opening, and the status of a path ---- */
bool vpmu_paths_before(int64_t number, const int64_t a[6], int64_t *answer);
void vpmu_paths_after(int64_t number, const int64_t a[6], int64_t *answer);

/* ---- status.c: what stat returns for the machine's files; at: a struct stat or statx ---- */
void vpmu_status_fill(enum vpmu_file file, uint32_t cpu, void *at, bool extended);

/* ---- attributes.c: extended attributes ---- */
bool vpmu_attributes_before(int64_t number, const int64_t a[6], int64_t *answer);

/* ---- changes.c: what would change the machine's files ---- */
bool vpmu_changes_before(int64_t number, const int64_t a[6], int64_t *answer);
/* May a file that describes the machine be opened so? 0 or a negative errno; flags become those
 * that the kernel would heed. */
int vpmu_changes_open(const char *path, int *flags);

/* ---- fixed.c: getrandom, and reads of /dev/random and /dev/urandom ---- */
bool vpmu_random_before(const int64_t a[6], int64_t *answer);
bool vpmu_random_is_fixed(void);

/* ---- memory.c: sysinfo ---- */
bool vpmu_memory_before(const int64_t a[6], int64_t *answer);

/* ---- low_memory.c: mappings below 2 GiB ---- */
void vpmu_low_memory_before(int64_t a[6]);

/* ---- time.c ---- */
void vpmu_time_begin(bool model);
bool vpmu_time_before(int64_t number, const int64_t a[6], int64_t *answer);
/* Around each call that is left to the host's kernel. */
void vpmu_time_leaves(int64_t number, int64_t a[6]);
/* When a call that begins now ends by its timeout; 0: it has none, or is no futex, sleep, poll or
 * epoll. The time now, and such a time on the host's monotonic clock. Time is the machine's
 * if the program's is. */
int64_t vpmu_time_until(int64_t number, const int64_t a[6]);
int64_t vpmu_time_here(void);
int64_t vpmu_time_host(int64_t until);
/* A signal has ended this sleep before. */
void vpmu_time_slept(int64_t number, const int64_t a[6], int64_t until);
/* Seconds since the machine or the host was switched on. */
int64_t vpmu_time_up(void);
void vpmu_time_after(int64_t number, const int64_t a[6], int64_t answer);

/* ---- machine_time.c ---- */
/* The calling thread's slot; NULL: it has none, as in a process that is not counted. */
const struct vpmu_thread *vpmu_time_thread(void);
/* Nanoseconds that the calling thread has executed, that have passed in waits, and both. */
int64_t vpmu_time_executed(void);
int64_t vpmu_time_waited(void);
int64_t vpmu_time_now(void);
/* So much time has passed at least, for the whole machine. */
void vpmu_time_reach(int64_t time);
struct timeval vpmu_time_value(int64_t ns);
/* This clock measures CPU time. What it has before the machine's time. */
bool vpmu_time_is_of_cpu(int64_t clock);
int64_t vpmu_time_origin(int64_t clock);
/* Copies to the program: 0 or -EFAULT. */
int64_t vpmu_time_put(uint64_t address, const void *from, size_t bytes);

/* ---- timers.c: alarm, setitimer, timer_create and their like ---- */
bool vpmu_timers_before(int64_t number, const int64_t a[6], int64_t *answer);
/* The next call of the calling thread waits for nothing: no timer of the host stands for it. */
void vpmu_timers_passes(bool call_passes);
/* A call begins that may wait, until this time at most (0: for ever); it is over. True: a timer
 * expired in it. */
void vpmu_timers_wait(int64_t number, int64_t until);
bool vpmu_timers_waited(void);
/* Sleeps if a timer will end a sleep until this time, and sends its signal. */
bool vpmu_timers_sleep(int64_t until);
/* When the first timer expires that waits take time of; 0: never. */
int64_t vpmu_timers_next(void);
/* The process is the child of a fork. */
void vpmu_timers_forked(void);

/* ---- cpus.c ---- */
bool vpmu_cpus_before(int64_t number, const int64_t a[6], int64_t *answer);
/* The slot of a thread, 0: the calling one; NULL: no such thread on the machine. */
struct vpmu_thread *vpmu_cpus_thread(int64_t tid);

/* ---- policies.c: on which node memory is ---- */
bool vpmu_policies_before(int64_t number, const int64_t a[6], int64_t *answer);
/* These addresses are unmapped: they have no policy of their own any more. */
void vpmu_policies_unmap(uint64_t at, uint64_t bytes);

#endif
