/* SPDX-License-Identifier: MIT */
/* Functions that the patches call (patches/guest-*). */
#ifndef VPMU_GUEST_H
#define VPMU_GUEST_H

#include "cpu.h"
#include "hw/pci/pci.h"
#include "calls.h"

/* True: it is done, and the registers are set. A fault does not return. */
bool vpmu_guest_rdmsr(CPUX86State *env, uintptr_t ra);
bool vpmu_guest_wrmsr(CPUX86State *env, uint64_t value, uintptr_t ra);
bool vpmu_guest_rdpmc(CPUX86State *env, uintptr_t ra);
bool vpmu_guest_cpuid(CPUX86State *env, uint32_t leaf, uint32_t subleaf, uint32_t *eax,
		      uint32_t *ebx, uint32_t *ecx, uint32_t *edx);
/* The CPU has to look up translations again. */
void vpmu_guest_forget(CPUX86State *env, enum vpmu_guest_forgotten what, uint64_t address);
/* The CPU takes an interrupt. */
void vpmu_guest_interrupted(CPUX86State *env);
void vpmu_guest_host_bridge(PCIDevice *bridge, MemoryRegion *memory);

/* Waits for the CPU's turn to execute code; false: it has been kicked meanwhile. */
bool vpmu_guest_turn(CPUState *cpu);
void vpmu_guest_kicked(CPUState *cpu);

/* The machine has been in S3: what is in its memory is the guest's. */
bool vpmu_guest_has_slept(void);

/* Ours in QEMU's own files. */
void vpmu_apic_interrupt(DeviceState *apic, bool masks);
void *vpmu_tlb_memory(CPUState *cpu, vaddr address, uint32_t info);

#endif
