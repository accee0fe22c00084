/* SPDX-License-Identifier: MIT */
/* The feed of a whole machine: each of QEMU's CPUs is a virtual CPU.
 *
 * Stated rules, beside those of user mode:
 * - Caches see physical addresses; TLBs and branches virtual ones. I/O is in no cache.
 * - QEMU numbers threads of a core one after the other, and so does the kernel that it boots.
 * - Code in the upper half of the addresses is the kernel's.
 * - The feed sleeps, and nothing but registers is modelled, until the guest requests it or, if the
 *   plugin's argument is from=kernel, the firmware has started a kernel.
 * - Translations are discarded at the kernel's requests: those of an address space, which is all
 *   of the lower half, when CR3 is written.
 * - While the feed is awake, one CPU executes at a time: the ready one with the smallest clock.
 * - A CPU that has halted continues at the machine's newest clock. */
#ifndef VPMU_GUEST_WHOLE_H
#define VPMU_GUEST_WHOLE_H

#include "../machine/segment.h"
#include "calls.h"

/* The machine; NULL: there is none. host stays valid. */
struct vpmu_segment *vpmu_whole_open(const struct vpmu_guest_host *host);
uint32_t vpmu_whole_cpu(unsigned int vcpu);
/* Wakes the feed or lets it sleep; false: there is no feed. */
bool vpmu_whole_count(bool on);
/* Before the calling CPU's access to a register: what it has done so far is counted. */
void vpmu_whole_publish(void);
/* Discards the calling CPU's translations of the pages of these addresses. */
void vpmu_whole_forget(uint64_t from, uint64_t to);
/* The caches are empty. The caller has the machine lock, and no CPU runs. */
void vpmu_whole_power_lost(void);
/* The calling CPU is about to execute code: see calls.h. */
bool vpmu_whole_turn(unsigned int vcpu);
/* Passes on performance interrupts that the model has raised. No lock is held, or QEMU's is. */
void vpmu_whole_interrupts(void);

#endif
