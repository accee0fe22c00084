/* SPDX-License-Identifier: MIT */
/* emulator/: our patches to QEMU. What QEMU's user mode and the execution feed, its plugin, say to
 * each other: patched code passes on what the program does. Both sides include
 * this header, so it uses nothing else.
 *
 * All calls come from the thread that executes the program's code, and no handler of the program's
 * signals interrupts them: QEMU delivers signals between them. Addresses are the program's. */
#ifndef VPMU_USER_CALLS_H
#define VPMU_USER_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#define VPMU_USER_VERSION 8

/* Variables of the program's environment that QEMU itself must not see, as LD_PRELOAD, are in its
 * own environment with this in front of their names. */
#define VPMU_USER_VARIABLE "VPMU_PROGRAM_"

/* QEMU's side. The plugin may use it in any of the calls below. */
struct vpmu_user_host {
	uint32_t version;
	/* Gives the place in this process of a text of the program, or of so many bytes of its
	 * memory; NULL: it may not read (or write) them. Another thread may unmap them. */
	const char *(*text)(uint64_t address);
	void *(*memory)(uint64_t address, uint64_t bytes, bool write);
	/* CPUID as QEMU itself has it: EAX, EBX, ECX, EDX. */
	void (*cpuid)(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);
	/* The calling thread's RSP. */
	uint64_t (*stack)(void);
	/* Changes the rights to pages of the program, as mprotect does. */
	bool (*protect)(uint64_t address, uint64_t bytes, int rights);
	/* For `fault` below: executes the instruction that has faulted, as a block of its own and
	 * while all other threads are stopped. around: called in that state, before and after.
	 * False: it has faulted again, which is reported when `fault` is over. */
	bool (*step)(void (*around)(bool begins));
	/* Drops all translations. The calling thread executes none of them any more. */
	void (*forget)(void);
	/* The path of the program's file, from the program's first instruction on. */
	const char *program;
	/* QEMU's own random numbers, as RDRAND gives them. With its option -seed they are a stream
	 * of each thread; seed() starts another one for the caller's. */
	void (*random)(void *to, uint64_t bytes);
	void (*seed)(uint64_t seed);
	/* Ends the calling thread's execution before its next block, so that `turn` below comes. */
	void (*leave)(void);
	/* True: a signal waits for the calling thread, which may be in `turn` or a system call. */
	bool (*signalled)(void);
	/* True: the thread that has this vcpu blocks this signal. */
	bool (*blocks)(unsigned int vcpu, int number);
	/* Sends a signal, with a siginfo_t of the host, to the thread that has this vcpu and is in
	 * `turn` or a system call of the plugin, or is the caller. False: the program has no
	 * handler for it, or it has to queue behind another one. */
	bool (*signal)(unsigned int vcpu, int number, const void *info);
};

/* A block of which an instruction has faulted: its address and length, and how many instructions it
 * has. left: how many of them were not executed, with the one that has faulted; 0: the block is not
 * known. */
struct vpmu_user_block { uint64_t address; uint32_t bytes, instructions, left; };

/* By how many bytes the program's areas are moved: below the highest stack, and above the lowest
 * program, heap and mapping. All are pages, except stack_start, of 16 bytes, which moves the stack
 * pointer alone. */
struct vpmu_user_layout { uint64_t stack, stack_start, program, heap, mappings; };

enum vpmu_user_answer { VPMU_USER_UNKNOWN, VPMU_USER_DONE, VPMU_USER_FAULT };

/* The plugin's side. */
struct vpmu_user_calls {
	/* Read when the program is loaded. */
	const struct vpmu_user_layout *layout;
	/* A system call, after the plugin's callback for it. True: *answer is the kernel's; false:
	 * QEMU makes the call with the arguments that are there now. */
	bool (*system_call)(int64_t number, int64_t arguments[6], int64_t *answer);
	/* QEMU has made it: *answer becomes what the program sees. */
	void (*system_return)(int64_t number, const int64_t arguments[6], int64_t *answer);
	/* Replaces what is executed, by words in this process's memory; 0, or a negative errno.
	 * dirfd and flags are execveat's, AT_FDCWD and 0 otherwise; the path that comes out does
	 * not use them. */
	int (*exec)(int dirfd, int flags, const char **path, char ***argv, char ***envp);
	/* EAX, EBX, ECX, EDX: they hold QEMU's own answer before. */
	void (*cpuid)(uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);
	enum vpmu_user_answer (*rdpmc)(uint32_t index, uint64_t *value);
	/* A page fault, by a store or a load. True: the program continues with what its registers
	 * hold. */
	bool (*fault)(uint64_t address, bool store, const struct vpmu_user_block *block);
	/* An instruction that QEMU does not have; general: RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI,
	 * R8 to R15. True: it is done, and *rip is behind it. */
	bool (*illegal)(uint64_t general[16], uint64_t *rip);
	/* False: RDTSC gives QEMU's own time. */
	bool (*rdtsc)(uint64_t *value);
	/* IA32_TSC_AUX, for RDTSCP and RDPID. */
	uint32_t (*rdpid)(void);
	/* The caller's new thread will be this one of QEMU's CPUs. It executes nothing yet. */
	void (*thread_created)(unsigned int vcpu);
	/* The calling thread is about to execute code. QEMU waits for no thread that is in here. */
	void (*turn)(unsigned int vcpu);
	/* The calling thread has ended and executes nothing any more. address: the word that the
	 * kernel has cleared for it, or 0. Threads that wait for that word are to be woken. */
	void (*thread_ended)(uint64_t address);
	/* A signal is about to end the program. */
	void (*killed)(int number);
	/* An error of QEMU itself ends the process. May be called in a signal handler. */
	void (*aborted)(void);
	/* A line of /proc/self/status. True: `to` has the machine's. */
	bool (*status_line)(const char *line, char *to, uint64_t room);
};

#endif
