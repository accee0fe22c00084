/* SPDX-License-Identifier: MIT */
/* The shared-memory segment: one per virtual machine, mapped by every process that runs on it (by
 * the execution feed of an emulated program, or the preloaded library of a native one). It holds no
 * pointers. Layout: struct vpmu_segment, then the register file, the MMIO page (page-aligned) and
 * the feed's caches, at the offsets in the header. */
#ifndef VPMU_SEGMENT_H
#define VPMU_SEGMENT_H

#include "machine.h"
#include "processes.h"

#define VPMU_MAGIC 0x31304d50554d5056ull
#define VPMU_VERSION 24u
#define VPMU_HEAD_BYTES 4096u
#define VPMU_VIOLATIONS_KEPT 64
#define VPMU_UNDRIVEN_KEPT 32
#define VPMU_BY_KERNEL_KEPT 16
#define VPMU_THREADS_MAX 1024
#define VPMU_ALLOWED_MAX 512
#define VPMU_TOUCHED_MAX 4096	/* a power of two */

/* The machine lock: process-shared, robust and recursive. `word` is 0, or the owner's thread id
 * (gettid) and, in the upper half, how often the owner has locked it. Registers and caches are
 * accessed under it. An emulated thread that executes holds it until its turn ends, it makes a
 * system call, or another thread waits, which sets `asked`. */
struct vpmu_lock { uint64_t word; uint32_t asked, pad[13]; };

/* Bytes of registers that the register model keeps: for each package, each core, each hardware
 * thread; and each package's MMIO pages. */
struct vpmu_state_bytes { uint64_t package, core, thread, mmio; };

struct vpmu_violation {
	uint64_t value;			/* what was written, or 0 for a bad read */
	uint64_t bad_bits;		/* the reserved or read-only bits of it */
	uint32_t address, cpu;
	uint32_t kind;			/* enum vpmu_violation_kind */
	uint32_t space;			/* enum vpmu_space, of the address */
};
enum vpmu_violation_kind {
	VPMU_V_RESERVED_BITS = 1, VPMU_V_READ_ONLY, VPMU_V_UNKNOWN_MSR, VPMU_V_WRITE_ONLY
};

/* Is there a booted kernel, and is the access to a register that is being made its own? */
enum vpmu_booted { VPMU_NOT_BOOTED, VPMU_BOOTED, VPMU_KERNEL_ACCESS };

/* A counter that was enabled on an event the model does not drive. A free-running counter is never
 * enabled: it is one of these when a program has registered that it counts with it. */
struct vpmu_undriven { uint32_t address, space; uint64_t select; };
#define VPMU_UNDRIVEN_FREE (UINT64_C(1) << 32)	/* in `select`, above the offset in the window */
#define VPMU_UNDRIVEN_CORE (UINT64_C(1) << 33)	/* above the select of a core's counter */

/* set_mempolicy()'s mode, and a bit for each node. */
struct vpmu_policy { uint64_t nodes; uint32_t mode, pad; };

/* An emulated thread: which virtual CPU it runs on, and which it may run on.
 * Its children and the program that it executes inherit affinity and policy. */
struct vpmu_thread {
	uint32_t tid;			/* 0: free slot */
	uint32_t cpu;			/* current virtual CPU */
	uint32_t executes;		/* 0: it waits in the kernel, or is native */
	uint32_t counted;		/* 0: it is native, or left out by --only */
	uint64_t clock;			/* its own time, UCLK */
	uint64_t begun;			/* its clock when its process or thread began */
	uint64_t children;		/* clocks of processes that it has started and that ended */
	uint64_t affinity[VPMU_CPUS_MAX / 64];
	struct vpmu_policy policy;
};

/* window: reads of the memory controller's window, which only a booted machine sees one by one. */
struct vpmu_access_counts { uint64_t rdmsr, wrmsr, pci_reads, batches, window; };

/* The device files: their owner and permissions, and whether the msr-safe module is loaded, with
 * its allowlist. */
struct vpmu_allowed { uint32_t address; uint32_t pad; uint64_t mask; };
struct vpmu_devices {
	uint32_t msr_safe;		/* loaded; the plain msr devices cannot be opened */
	uint32_t allowed_count;
	uint32_t owned;			/* permissions are checked: those below */
	uint32_t uid, gid, mode;
	struct vpmu_allowed allowed[VPMU_ALLOWED_MAX];
};

/* A register that a program has read or written. `before` is the value at its first access, which
 * is what a program restores, although a counter may move before the program writes. */
struct vpmu_touched {
	uint64_t at;		/* of the value, from the segment's start; 0: a free entry */
	uint64_t before;	/* the value when a program first accessed it */
	uint64_t poked;		/* the value that a tool has set since */
	uint32_t address, cpu, written, space;
};

struct vpmu_segment {
	/* The first page never changes. A process that opens the segment maps a checked, read-only
	 * copy in its place, because other users may be able to write the file. */
	union {
		struct {
			uint64_t magic;
			uint32_t version, pad;
			uint64_t header_bytes;	/* sizeof(struct vpmu_segment) where it was made */
			uint64_t bytes;		/* of the whole segment */
			uint64_t registers_offset, mmio_offset, caches_offset;
			uint64_t registers_bytes, mmio_bytes, caches_bytes;
			struct vpmu_state_bytes state;
			struct vpmu_machine machine;
		};
		uint8_t head[VPMU_HEAD_BYTES];
	};
	struct vpmu_lock lock;
	uint32_t feeds;			/* execution feeds attached now */
	uint32_t kernel;		/* enum vpmu_booted */
	uint64_t uclk[VPMU_PACKAGES_MAX];	/* newest clock published in each package */
	uint64_t waited;		/* time that passed in waits, with --time model */
	struct vpmu_access_counts accesses;	/* by programs, and by a booted kernel for itself */
	uint64_t violation_count, undriven_count;
	struct vpmu_violation violations[VPMU_VIOLATIONS_KEPT];	/* the first ones */
	struct vpmu_undriven undriven[VPMU_UNDRIVEN_KEPT];
	uint64_t violations_told, undriven_told;	/* of them printed by `vpmu run` */
	uint64_t left_count, left_told;	/* programs that were executed outside the machine */
	/* Programs that were executed under the emulator, and those of them that began. */
	uint64_t executed_count, begun_count;
	uint64_t aborted_count, aborted_told;	/* processes that an emulator's error has ended */
	uint64_t chosen_count;		/* programs that --only had counted */
	struct vpmu_devices devices;
	uint64_t born;			/* distinguishes machines of the same path */
	uint64_t touched_lost;		/* registers that found no entry */
	struct vpmu_touched touched[VPMU_TOUCHED_MAX];
	uint32_t interrupts_told;	/* the feed reports which interrupts CPUs take */
	uint32_t core_counting;		/* enum vpmu_core_level that enabled counters need, of
					 * machines with both kinds of PMU */
	uint32_t next_space;		/* address-space ids handed to processes */
	uint32_t profiles_paused;	/* not 0: profiles count nothing now */
	uint64_t profiles_failed, profiles_told;	/* processes without their file */
	struct vpmu_thread threads[VPMU_THREADS_MAX];
	struct vpmu_processes processes;
	/* Violations by the drivers of a booted kernel, which are not the programs': all of them,
	 * and the first of each register and bits. */
	uint64_t by_kernel_count, by_kernel_kept, by_kernel_told;
	struct vpmu_violation by_kernel_first[VPMU_BY_KERNEL_KEPT];
};

/* Create (fails with -EEXIST) or open a segment file whose registers take this many bytes. All
 * callers but the register model, which computes that size, use vpmu_segment_create and
 * vpmu_segment_open. The file is published whole, after power_on: a second opener never sees it
 * half made. Errors: negative errno, a sentence in why[], without the path where one is made, as
 * that may be a private name. For a truncated, foreign or wrong-version file, returns -EINVAL and
 * names the file. */
int vpmu_segment_make(const char *path, const struct vpmu_machine *m,
		      const struct vpmu_state_bytes *state,
		      void (*power_on)(struct vpmu_segment *s), struct vpmu_segment **out,
		      char *why, size_t why_bytes);
/* state_bytes: returns -EINVAL for a machine that has no register model. */
int vpmu_segment_map(const char *path,
		     int (*state_bytes)(const struct vpmu_machine *m, struct vpmu_state_bytes *out),
		     struct vpmu_segment **out, char *why, size_t why_bytes);
void vpmu_segment_close(struct vpmu_segment *s);

/* Registers in the segment: first those of all packages, then of all cores, then of all threads. */
static inline void *vpmu_package_state(struct vpmu_segment *s, uint32_t package)
{
	return (uint8_t *)s + s->registers_offset + package * s->state.package;
}
static inline void *vpmu_core_state(struct vpmu_segment *s, uint32_t core)	/* machine-wide */
{
	return (uint8_t *)vpmu_package_state(s, s->machine.packages) + core * s->state.core;
}
static inline void *vpmu_thread_state(struct vpmu_segment *s, uint32_t cpu)
{
	return (uint8_t *)vpmu_core_state(s, s->machine.packages * s->machine.cores) +
	       cpu * s->state.thread;
}
static inline uint8_t *vpmu_package_mmio(struct vpmu_segment *s, uint32_t package)
{
	return (uint8_t *)s + s->mmio_offset + package * s->state.mmio;
}

/* Suffix of the directory beside the segment that describes the machine as Linux would: cpuinfo,
 * cpu/ and node/ as in /proc and /sys/devices/system. */
#define VPMU_SYSTEM_SUFFIX ".system"

/* Set to 1 in the environment of a program that is emulated and counted. */
#define VPMU_FEED_ENV "VPMU_FEED"

/* Waits for the machine lock. An owner that has ended, or is stopped, loses it. */
void vpmu_lock(struct vpmu_segment *s);
/* Does nothing if the calling thread has lost the lock while it was stopped. */
void vpmu_unlock(struct vpmu_segment *s);
/* How often the calling thread has locked it: 0 if it is not the owner. */
uint32_t vpmu_lock_held(const struct vpmu_segment *s);
/* For a program that begins: releases a lock under its thread id. The program that this process
 * executed before may have held it, and perhaps only that one had a feed. */
void vpmu_lock_forget(struct vpmu_segment *s);
/* As in proc_pid_stat(5), of a thread's folder in `directory`; 0: not known. */
char vpmu_thread_doing(const char *directory, uint32_t tid);
/* True if all threads of the process have ended, and its parent has been informed. */
bool vpmu_process_ended(uint32_t pid);
/* True if the thread executes nothing any more, although its id may still exist. */
bool vpmu_thread_ended(uint32_t tid);
/* Thread id of the caller, cached per thread and correct after fork(). */
uint32_t vpmu_gettid(void);

/* The newest clock of all packages. */
uint64_t vpmu_newest_clock(const struct vpmu_segment *s);

/* The slot of a thread (host and guest thread ids are the same), made at the first call: the
 * affinity is that of the thread `parent` if that has a slot (0: unknown; then all CPUs), the CPU
 * the allowed one with the fewest live threads. NULL when VPMU_THREADS_MAX threads are alive.
 * These take the machine lock. A slot is its thread's until released. */
struct vpmu_thread *vpmu_thread_slot(struct vpmu_segment *s, uint32_t tid, uint32_t parent);
/* The same for a thread that is counted, which was made at this clock of its parent (0: as it is
 * now). Threads that are not counted have no influence on its CPU: they live as long as the host
 * lets them. */
struct vpmu_thread *vpmu_thread_begin(struct vpmu_segment *s, uint32_t tid, uint32_t parent,
				      uint64_t clock);
struct vpmu_thread *vpmu_thread_find(struct vpmu_segment *s, uint32_t tid);	/* or NULL */
/* Does a thread of another process than this one live on the machine? */
bool vpmu_threads_busy(const struct vpmu_segment *s, uint32_t pid);
void vpmu_thread_release(struct vpmu_segment *s, uint32_t tid);
/* A process ends: its parent's slot gets its clocks. */
void vpmu_thread_ends(struct vpmu_segment *s, uint32_t pid, uint32_t parent);
/* New affinity mask (words of 64 CPUs, bit = virtual CPU); moves the thread when its CPU is not in
 * the mask any more, or is shared while another one may be free. -EINVAL when the mask holds no
 * CPU of this machine. */
int vpmu_thread_bind(struct vpmu_segment *s, struct vpmu_thread *t, const uint64_t *mask,
		     size_t words);

#endif
