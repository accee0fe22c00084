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
	/* The program is not emulated. */
	bool native;
};

/* segment: opened; path: absolute; both stay. */
void vpmu_system_begin(struct vpmu_segment *segment, const char *path,
		       const struct vpmu_program_memory *memory);

/* ---- for this folder and its callers ---- */

extern struct vpmu_system {
	struct vpmu_segment *segment;
	const char *path;			/* of the segment */
	const struct vpmu_program_memory *memory;
} vpmu_system;

/* The virtual CPU of the calling thread. */
uint32_t vpmu_system_cpu(void);

/* ---- system calls (calls.c) ---- */

/* True: it is answered. False: the host's kernel makes it, with the arguments that are there
 * now. */
bool vpmu_system_call(int64_t number, int64_t arguments[6], int64_t *answer);
/* The host's kernel has made it: *answer becomes what the program sees. Called for all that
 * vpmu_system_call() has left to it. */
void vpmu_system_return(int64_t number, const int64_t arguments[6], int64_t *answer);

/* ---- executing a program (exec.c) ---- */

/* feed: the plugin's file; tool: vpmu itself. Without this call all that is executed leaves the
 * machine. */
void vpmu_system_exec_begin(const char *feed, const char *tool);
/* Replaces what is executed, so that it stays on the machine: 0, or a negative errno. The words
 * that come out are valid until the next call of the same thread. Reports on stderr a program that
 * leaves the machine. */
int vpmu_system_exec(int dirfd, int flags, const char **path, char ***argv, char ***envp);
/* The execution has failed, here or in the kernel. */
void vpmu_system_exec_failed(void);
/* The new process has loaded its program from this descriptor, a number in a text (NULL: none),
 * which is the program's no more. */
void vpmu_system_exec_loaded(const char *descriptor);

/* ---- the memory controller's window (window.c) ---- */

/* A mapping of /dev/mem: arguments become those of a mapping of the segment. False: *answer. */
bool vpmu_system_map(int64_t arguments[6], int64_t *answer);
/* After the call, of any mapping. */
void vpmu_system_mapped(const int64_t arguments[6], int64_t answer);
/* Before these addresses are unmapped. */
void vpmu_system_unmap(uint64_t at, uint64_t bytes);
/* An access to the window that faulted, by the instruction at *rip. True: it is done, and the
 * registers (in the order of the instruction formats: RAX, RCX, RDX, RBX, RSP ...) are set. */
bool vpmu_system_fault(uint64_t address, uint64_t general[16], uint64_t *rip, uint64_t *flags);

/* ---- instructions (instructions.c) ---- */

void vpmu_system_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);
/* Answers as the instruction would on that CPU. */
void vpmu_system_cpuid_of(uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);
/* 0; -EIO: it faults. */
int vpmu_system_rdpmc(uint32_t index, uint64_t *value);

#endif
