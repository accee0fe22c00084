/* SPDX-License-Identifier: MIT */
/* guest/: a whole machine. What QEMU's system emulation and the model say to each other: the
 * patched code finds vpmu_guest_open by name in the library that the environment names, and passes
 * on what the guest does. Both sides include this header, so it uses nothing else. */
#ifndef VPMU_GUEST_CALLS_H
#define VPMU_GUEST_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#define VPMU_GUEST_ENV "VPMU_GUEST_MODEL"
/* Set: the machine can be suspended to RAM. */
#define VPMU_GUEST_SLEEP_ENV "VPMU_GUEST_SLEEP"
#define VPMU_GUEST_OPEN "vpmu_guest_open"
#define VPMU_GUEST_VERSION 9
#define VPMU_GUEST_STACK 8

/* Functions that QEMU offers. Any thread may call these without QEMU's lock and without the machine
 * lock. */
struct vpmu_guest_host {
	uint32_t version;
	/* The performance interrupt of this CPU's local APIC; masks: as the silicon does, it masks
	 * its entry when it delivers. */
	void (*interrupt)(unsigned int vcpu, bool masks);
	/* Gives the place in this process of the guest's memory at this address, right after an
	 * access by the calling CPU. NULL: it is no memory. info: of the plugin interface. */
	void *(*memory)(unsigned int vcpu, uint64_t address, uint32_t info);
	/* Main memory: the first `bytes` of physical addresses; what follows is above 4 GiB. */
	void *(*main_memory)(uint64_t *bytes);
	/* Reads the top of the calling CPU's stack; only while the CPU is in one of the calls
	 * below. Words that cannot be read are 0. */
	void (*stack)(uint64_t words[VPMU_GUEST_STACK]);
	/* Drops all translations. No CPU executes them any more before its next `turn` below. */
	void (*forget_code)(void);
	/* Ends the execution of the calling CPU, or of all CPUs, before the next block, so that
	 * `turn` below comes. */
	void (*leave)(void);
	void (*all_leave)(void);
};

enum vpmu_guest_answer { VPMU_GUEST_UNKNOWN, VPMU_GUEST_DONE, VPMU_GUEST_FAULT };

/* Translations of addresses that a CPU has to look up again. */
enum vpmu_guest_forgotten {
	VPMU_GUEST_PAGE,	/* of one page (INVLPG) */
	VPMU_GUEST_SPACE,	/* of the address space, global pages apart (a new CR3) */
	VPMU_GUEST_ALL,		/* (CR4.PGE and its like) */
};

/* Functions of the library. UNKNOWN: QEMU continues as without it. */
struct vpmu_guest_calls {
	enum vpmu_guest_answer (*rdmsr)(unsigned int vcpu, uint64_t code, uint32_t address,
					uint64_t *value);
	enum vpmu_guest_answer (*wrmsr)(unsigned int vcpu, uint64_t code, uint32_t address,
					uint64_t value);
	enum vpmu_guest_answer (*rdpmc)(unsigned int vcpu, uint32_t index, uint64_t *value);
	/* registers: EAX, EBX, ECX, EDX; they hold QEMU's own answer before. */
	bool (*cpuid)(unsigned int vcpu, uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);
	/* A byte of the host bridge's configuration space; false: as QEMU has it. */
	bool (*pci_read)(uint32_t offset, uint8_t *byte);
	/* The memory controller's window: where it is, and reading 4 bytes of it. */
	void (*window)(uint64_t *base, uint64_t *bytes);
	uint32_t (*window_read)(unsigned int vcpu, uint32_t offset);
	/* Called by the CPU itself. */
	void (*forget)(unsigned int vcpu, enum vpmu_guest_forgotten what, uint64_t address);
	/* Writing 1 to 8 bytes of the window, at a multiple of that; by a program or the kernel. */
	void (*window_write)(unsigned int vcpu, bool program, uint32_t offset, uint64_t value,
			     uint32_t bytes);
	/* Suspended to RAM: registers and caches have lost what they held. No CPU runs. */
	void (*power_lost)(void);
	/* The CPU, which calls this itself, takes an interrupt of its local APIC. Not an NMI. */
	void (*interrupted)(unsigned int vcpu);
	/* The CPU, which calls this itself without QEMU's lock, is about to execute code. QEMU
	 * waits for no CPU that is in here. False: it has been kicked, and is to check for work
	 * before it calls this again. */
	bool (*turn)(unsigned int vcpu);
	/* This CPU has work to check for. Any thread calls this, perhaps with QEMU's lock. */
	void (*kicked)(unsigned int vcpu);
};

typedef const struct vpmu_guest_calls *vpmu_guest_open_function(const struct vpmu_guest_host *host);

#endif
