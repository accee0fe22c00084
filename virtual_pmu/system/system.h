/* SPDX-License-Identifier: MIT */
/* system/: what Linux is to a program on the machine. System calls about the device files, the
 * machine's description and its CPUs are answered here, from the segment; all others are the
 * host's. The code runs in the process of the program but outside of it: under the emulator, or
 * behind the preloaded library of a native program (native/).
 *
 * Functions of this folder may be called by any thread, and not by signal handlers. Answers are the
 * kernel's: values, or negative errnos. */
#ifndef VPMU_SYSTEM_H
#define VPMU_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../machine/program.h"
#include "../model/model.h"

/* How this code reaches the program, whose addresses need not be this process's. */
struct vpmu_program_memory {
	/* A text of the program, or so many bytes of its memory; NULL: it may not read (or write)
	 * them. */
	const char *(*text)(uint64_t address);
	void *(*memory)(uint64_t address, uint64_t bytes, bool write);
	/* CPUID as the emulator has it: EAX, EBX, ECX, EDX. */
	void (*cpuid)(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);
	/* The path of its file, which is not this process's. */
	const char *program;
	/* The program is not emulated, and the calls below are NULL. */
	bool native;
	/* Changes the rights to pages of the program. */
	bool (*protect)(uint64_t address, uint64_t bytes, int rights);
	/* The node of a page of the program; -ENOENT: nothing has touched it. move: nodes from 0 on
	 * become the page's, of which nothing is copied. */
	int (*home)(uint64_t address, int move);
	/* The calling thread's stack pointer. */
	uint64_t (*stack)(void);
	/* Random numbers of the calling thread's stream; another stream for it. */
	void (*random)(void *to, uint64_t bytes);
	void (*seed)(uint64_t seed);
};

/* segment: opened; path: absolute; both stay. */
void vpmu_system_begin(struct vpmu_segment *segment, const char *path,
		       const struct vpmu_program_memory *memory);

/* ---- for this folder and its callers ---- */

extern struct vpmu_system {
	struct vpmu_segment *segment;
	const char *path;			/* of the segment */
	const struct vpmu_program_memory *memory;
	bool left_out;				/* --only: the program is not counted */
} vpmu_system;

/* The virtual CPU of the calling thread. */
uint32_t vpmu_system_cpu(void);

/* ---- what repeats (fixed.c) ---- */

void vpmu_system_fixed_begin(const struct vpmu_fixed *fixed);
/* The seed of this process, or where it is native of the programs that it starts. */
uint64_t vpmu_system_seed(void);
/* In both processes: before a fork, and after it in the new one. */
void vpmu_system_fork_begin(void);
void vpmu_system_forked(void);
/* For the program that this process executes next. */
struct vpmu_fixed vpmu_system_fixed_next(void);

/* ---- time (time.c, timers.c) ---- */

/* The time that the calling thread reads; false: time is the host's. */
bool vpmu_system_clock(uint64_t *value);
/* A thread whose clock has come so far calls vpmu_system_timers(), which sends the signals of
 * timers that have expired. It takes no lock. */
extern uint64_t vpmu_system_timer_clock;
void vpmu_system_timers(void);
/* Sends a timer's signal (siginfo_t) to a thread, tid 0: to the process. False: the host's kernel
 * has to. */
typedef bool vpmu_timers_send(uint32_t tid, const void *info);
void vpmu_timers_begin(vpmu_timers_send *send);

/* ---- system calls (calls.c) ---- */

/* True: it is answered. False: the host's kernel makes it, with the arguments that are there
 * now. */
bool vpmu_system_call(int64_t number, int64_t arguments[6], int64_t *answer);
/* The host's kernel has made it: *answer becomes what the program sees. Called for all that
 * vpmu_system_call() has left to it. */
void vpmu_system_return(int64_t number, const int64_t arguments[6], int64_t *answer);

/* ---- CPUs and nodes (cpus.c) ---- */

/* A line of /proc/self/status, which ends with a newline. True: `to` has the machine's. */
bool vpmu_system_status_line(const char *line, char *to, uint64_t room);

/* ---- memory policies (policies.c) ---- */

/* The node for a page that the calling thread, on a CPU of this package, is the first to touch.
 * The machine lock is held. */
uint32_t vpmu_system_place(uint64_t address, uint32_t package);

/* ---- executing a program (exec.c) ---- */

/* feed: the plugin's file. Without this call all that is executed leaves the machine. */
void vpmu_system_exec_begin(const char *feed, const struct vpmu_passed_on *with);
/* Replaces what is executed, so that it stays on the machine: 0, or a negative errno. The words
 * that come out are valid until the next call of the same thread. Reports on stderr a program that
 * leaves the machine. */
int vpmu_system_exec(int dirfd, int flags, const char **path, char ***argv, char ***envp);
/* True: the program that vpmu_system_exec() has prepared stays on the machine. */
bool vpmu_system_exec_stays(void);
/* The execution has failed, here or in the kernel. */
void vpmu_system_exec_failed(void);
/* The new process has loaded its program from this descriptor, a number in a text (NULL: none),
 * which is the program's no more. */
void vpmu_system_exec_loaded(const char *descriptor);

/* ---- the memory controller's window (window.c) ---- */

/* May /dev/mem be mapped so? 0 or a negative errno. Sets the offset in the controller's window,
 * the length in whole pages, and whether registers may be written there. */
int vpmu_system_may_map(const int64_t arguments[6], uint64_t *offset, uint64_t *length,
			bool *shared);
/* A mapping of /dev/mem: arguments become those of memory without rights. False: *answer. */
bool vpmu_system_map(int64_t arguments[6], int64_t *answer);
/* After the call, of any mapping. */
void vpmu_system_mapped(const int64_t arguments[6], int64_t answer);
/* Before these addresses are unmapped. */
void vpmu_system_unmap(uint64_t at, uint64_t bytes);
/* mprotect. False: no window is there. */
bool vpmu_system_protect(uint64_t at, uint64_t bytes, int rights, int64_t *answer);
/* True: a window has some of these addresses. */
bool vpmu_system_in_window(uint64_t at, uint64_t bytes);

/* An instruction has faulted at this address, by a store or a load. True: the program may access a
 * window there, and the other functions may be called until vpmu_system_window_leave(). all: the
 * instruction accesses more than one page that is not the next one. */
bool vpmu_system_window_enter(uint64_t address, bool store, bool all);
/* The same for an instruction that has faulted elsewhere: no window is opened for it. */
void vpmu_system_window_lock(void);
/* True: the window holds its registers, with the rights that the program requested. False: it has
 * no rights any more. */
void vpmu_system_window_open(bool opens);
/* Finds the offset in the controller's window; false: the address is in none. */
bool vpmu_system_window_offset(uint64_t address, uint32_t *offset);
/* The instruction has stored these bytes there. */
void vpmu_system_window_write(uint32_t offset, const uint8_t *bytes, uint32_t count);
void vpmu_system_window_leave(void);
/* The process is the child of a fork. */
void vpmu_system_window_forked(void);

/* ---- instructions (instructions.c) ---- */

void vpmu_system_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);
/* Answers as the instruction would on that CPU. */
void vpmu_system_cpuid_of(uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);
/* 0; -EIO: it faults. */
int vpmu_system_rdpmc(uint32_t index, uint64_t *value);
/* False: the model has no time-stamp counter. */
bool vpmu_system_rdtsc(uint64_t *value);
/* IA32_TSC_AUX of the calling thread's CPU. */
uint32_t vpmu_system_tsc_aux(void);
/* An instruction that the emulator does not have, with the registers in the order of the
 * instruction formats. True: it is done, and *rip is behind it. */
bool vpmu_system_illegal(const uint64_t general[16], uint64_t *rip);

#endif
