/* SPDX-License-Identifier: MIT */
/* Passes on what the guest does to the library that VPMU_GUEST_MODEL names. The patches make
 * QEMU call the vpmu_guest_*() functions with the accessing CPU's state. The library decides first:
 * where it does not know a register, or is not loaded, QEMU does what it always does. */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/error-report.h"
#include "cpu.h"
#include "exec/tb-flush.h"
#include "hw/i386/x86.h"
#include "hw/pci/pci_device.h"
#include "system/runstate.h"
#include "tcg/helper-tcg.h"

#if QEMU_VERSION_MAJOR >= 11
#include "hw/core/boards.h"
#define tb_flush(cpu) queue_tb_flush(cpu)
#else
#include "exec/exec-all.h"
#include "exec/address-spaces.h"
#include "hw/boards.h"
#endif

#include "vpmu_guest.h"
#include "calls.h"

#include <dlfcn.h>

static const struct vpmu_guest_calls *calls;

static void interrupt(unsigned int vcpu, bool masks)
{
	CPUState *cpu = qemu_get_cpu(vcpu);
	bool locked = bql_locked();

	if (!cpu || !X86_CPU(cpu)->apic_state)
		return;
	if (!locked)
		bql_lock();
	vpmu_apic_interrupt(DEVICE(X86_CPU(cpu)->apic_state), masks);
	if (!locked)
		bql_unlock();
}

static void *memory(unsigned int vcpu, uint64_t address, uint32_t info)
{
	return vpmu_tlb_memory(current_cpu, address, info);
}

static void *main_memory(uint64_t *bytes)
{
	MachineState *machine = MACHINE(qdev_get_machine());

	*bytes = X86_MACHINE(machine)->below_4g_mem_size;
	return machine->ram ? memory_region_get_ram_ptr(machine->ram) : NULL;
}

static void stack(uint64_t words[VPMU_GUEST_STACK])
{
	CPUX86State *env = cpu_env(current_cpu);

	for (int i = 0; i < VPMU_GUEST_STACK; i++)
		if (cpu_memory_rw_debug(current_cpu, env->regs[R_ESP] + 8 * i, &words[i], 8, false))
			words[i] = 0;
}

static void cpu_leave(void)
{
	cpu_exit(current_cpu);
}

static void cpus_leave(void)
{
	CPUState *cpu;

	CPU_FOREACH(cpu)
		cpu_exit(cpu);
}

/* A CPU that begins to execute code just now does not wait for the flush in `turn`. */
static void forget_code(void)
{
	cpus_leave();
	tb_flush(current_cpu);
}

static const struct vpmu_guest_host host = {
	.version = VPMU_GUEST_VERSION, .interrupt = interrupt, .memory = memory,
	.main_memory = main_memory, .stack = stack, .forget_code = forget_code,
	.leave = cpu_leave, .all_leave = cpus_leave,
};

static void __attribute__((constructor)) open_library(void)
{
	const char *path = getenv(VPMU_GUEST_ENV);
	vpmu_guest_open_function *open_model;
	void *library;

	if (!path || !*path)
		return;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	open_model = library ? (vpmu_guest_open_function *)dlsym(library, VPMU_GUEST_OPEN) : NULL;
	if (!open_model)
		fprintf(stderr, "vpmu: %s\n", dlerror());
	calls = open_model ? open_model(&host) : NULL;	/* it says why not */
	if (!calls)
		exit(1);
}

static unsigned int index_of(CPUX86State *env)
{
	return env_cpu(env)->cpu_index;
}

static void put_value(CPUX86State *env, uint64_t value)
{
	env->regs[R_EAX] = (uint32_t)value;
	env->regs[R_EDX] = (uint32_t)(value >> 32);
}

static bool finish(CPUX86State *env, enum vpmu_guest_answer answer, uintptr_t ra)
{
	if (answer == VPMU_GUEST_FAULT)
		raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
	return answer == VPMU_GUEST_DONE;
}

bool vpmu_guest_rdmsr(CPUX86State *env, uintptr_t ra)
{
	enum vpmu_guest_answer answer = VPMU_GUEST_UNKNOWN;
	uint64_t value = 0;

	if (calls)
		answer = calls->rdmsr(index_of(env), env->eip, env->regs[R_ECX], &value);
	if (answer == VPMU_GUEST_DONE)
		put_value(env, value);
	return finish(env, answer, ra);
}

bool vpmu_guest_wrmsr(CPUX86State *env, uint64_t value, uintptr_t ra)
{
	return calls && finish(env, calls->wrmsr(index_of(env), env->eip, env->regs[R_ECX], value),
			       ra);
}

bool vpmu_guest_rdpmc(CPUX86State *env, uintptr_t ra)
{
	enum vpmu_guest_answer answer = VPMU_GUEST_UNKNOWN;
	uint64_t value = 0;

	if (calls)
		answer = calls->rdpmc(index_of(env), env->regs[R_ECX], &value);
	if (answer == VPMU_GUEST_DONE)
		put_value(env, value);
	return finish(env, answer, ra);
}

bool vpmu_guest_cpuid(CPUX86State *env, uint32_t leaf, uint32_t subleaf, uint32_t *eax,
		      uint32_t *ebx, uint32_t *ecx, uint32_t *edx)
{
	static __thread bool asking;
	uint32_t registers[4];

	if (!calls || asking)
		return false;
	asking = true;		/* QEMU's own answer, which the library may change in part */
	cpu_x86_cpuid(env, leaf, subleaf, &registers[0], &registers[1], &registers[2],
		      &registers[3]);
	asking = false;
	if (!calls->cpuid(index_of(env), leaf, subleaf, registers))
		return false;
	*eax = registers[0];
	*ebx = registers[1];
	*ecx = registers[2];
	*edx = registers[3];
	return true;
}

void vpmu_guest_forget(CPUX86State *env, enum vpmu_guest_forgotten what, uint64_t address)
{
	if (calls && current_cpu == env_cpu(env))
		calls->forget(index_of(env), what, address);
}

void vpmu_guest_interrupted(CPUX86State *env)
{
	if (calls)
		calls->interrupted(index_of(env));
}

bool vpmu_guest_turn(CPUState *cpu)
{
	return !calls || calls->turn(cpu->cpu_index);
}

void vpmu_guest_kicked(CPUState *cpu)
{
	if (calls)
		calls->kicked(cpu->cpu_index);
}

/* ---- the host bridge ---- */

/* The firmware knows QEMU's own bridge by its number, and works in 32 bits; an operating system of
 * 64 bits sees the machine's. */
static bool for_system(void)
{
	return current_cpu && X86_CPU(current_cpu)->env.hflags & HF_LMA_MASK;
}

static uint32_t read_config(PCIDevice *bridge, uint32_t address, int bytes)
{
	uint32_t value = pci_default_read_config(bridge, address, bytes);
	uint8_t byte;

	for (int i = 0; i < bytes && for_system(); i++)
		if (calls->pci_read(address + i, &byte))
			value = deposit32(value, 8 * i, 8, byte);
	return value;
}

static uint64_t read_window(void *unused, hwaddr offset, unsigned int bytes)
{
	unsigned int vcpu = current_cpu ? current_cpu->cpu_index : 0;
	uint64_t value = calls->window_read(vcpu, offset & ~3u);

	if (bytes == 8)
		return value | (uint64_t)calls->window_read(vcpu, offset + 4) << 32;
	return value >> 8 * (offset & 3);
}

static void write_window(void *unused, hwaddr offset, uint64_t value, unsigned int bytes)
{
	unsigned int vcpu = current_cpu ? current_cpu->cpu_index : 0;
	bool program = current_cpu && (X86_CPU(current_cpu)->env.hflags & HF_CPL_MASK) == 3;

	calls->window_write(vcpu, program, offset, value, bytes);
}

static const MemoryRegionOps window_ops = {
	.read = read_window, .write = write_window, .endianness = DEVICE_LITTLE_ENDIAN,
	.valid = { .min_access_size = 1, .max_access_size = 8 },
	.impl = { .min_access_size = 1, .max_access_size = 8 },
};

/* ---- suspend to RAM ---- */

static bool has_slept;

bool vpmu_guest_has_slept(void)
{
	return has_slept;
}

/* All CPUs stand still. The board is started once, so that another reset is one that wakes. */
static void on_suspend(Notifier *unused, void *nothing)
{
	has_slept = true;
	calls->power_lost();
}

static Notifier suspended = { .notify = on_suspend };

void vpmu_guest_host_bridge(PCIDevice *bridge, MemoryRegion *system_memory)
{
	uint64_t base = 0, bytes = 0;
	MemoryRegion *window;

	if (!calls)
		return;
	bridge->config_read = read_config;
	qemu_register_suspend_notifier(&suspended);
	calls->window(&base, &bytes);
	if (!bytes)
		return;
	window = g_new0(MemoryRegion, 1);
	memory_region_init_io(window, OBJECT(bridge), &window_ops, NULL, "vpmu-window", bytes);
	memory_region_add_subregion_overlap(system_memory, base, window, 1);
}
