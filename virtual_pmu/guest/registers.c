/* SPDX-License-Identifier: MIT */
/* Accesses of a booted machine to registers, which our patches to QEMU pass on; system/ has the
 * same for device files. vpmu_guest_open() passes the table of functions to QEMU, and each runs in
 * the thread of the CPU that makes the access. They publish what that CPU has done, then take the
 * machine lock for the access. A register that the machine does not have stays QEMU's. */
#include "whole.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../feed/core/core_feed.h"
#include "../feed/thread/scheduler.h"
#include "../model/core_events.h"
#include "../model/model.h"

#define EXPORTED __attribute__((visibility("default")))
#define MSRS 0x10000u
#define PCI_DEVICE 2u
#define PCI_BAR 0x48u
#define PCI_SAF_BAR 0x68u	/* of a machine that has it */

#define DOORBELL 0x40005650u	/* CPUID leaf; the subleaf selects what: */
enum { BEGIN = 1, END = 2 };
/* An MSR of this number is accessed through /dev/cpu/N/msr once: so it is known from where in the
 * kernel registers are accessed for programs. All else it does for itself and its own drivers. */
#define SHOWN 0x40005650u
#define SHOWN_MAX 4u
#define NEAR_BITS 30	/* a kernel's code is within a GiB */

EXPORTED extern vpmu_guest_open_function vpmu_guest_open;

static struct vpmu_segment *machine;
static uint8_t ours[MSRS / 8];		/* bit per MSR that the machine has */

struct shown_code {
	uint64_t code, caller;
};

static const struct vpmu_guest_host *host;
static struct shown_code shown_read[SHOWN_MAX], shown_write[SHOWN_MAX];

/* A kernel may have all its accesses done by one function. So its caller counts as well: the first
 * word on the stack that lies near the code. */
static struct shown_code shown_code_of(uint64_t code)
{
	uint64_t words[VPMU_GUEST_STACK];
	uint32_t i = 0;

	host->stack(words);
	while (i < VPMU_GUEST_STACK && words[i] >> NEAR_BITS != code >> NEAR_BITS)
		i++;
	return (struct shown_code){ .code = code, .caller = i < VPMU_GUEST_STACK ? words[i] : 0 };
}

static bool is_same(const struct shown_code *a, const struct shown_code *b)
{
	return a->code == b->code && a->caller == b->caller;
}

static void show(struct shown_code *shown, uint64_t code)
{
	struct shown_code p = shown_code_of(code);

	for (uint32_t i = 0; i < SHOWN_MAX; i++) {
		if (!shown[i].code)
			shown[i] = p;
		if (is_same(&shown[i], &p))
			return;
	}
}

static bool for_program(const struct shown_code *shown, uint64_t code)
{
	struct shown_code p = shown_code_of(code);

	for (uint32_t i = 0; i < SHOWN_MAX; i++)
		if (is_same(&shown[i], &p))
			return true;
	return false;
}

static void access_begin(const struct shown_code *shown, uint64_t code)
{
	bool program = for_program(shown, code);

	vpmu_whole_publish();
	vpmu_lock(machine);
	machine->kernel = program ? VPMU_BOOTED : VPMU_KERNEL_ACCESS;
}

static bool address_is_ours(uint32_t address)
{
	return address < MSRS && ours[address / 8] >> address % 8 & 1;
}

static enum vpmu_guest_answer answer(int rc)
{
	machine->kernel = VPMU_BOOTED;
	vpmu_unlock(machine);
	vpmu_whole_interrupts();
	return rc ? VPMU_GUEST_FAULT : VPMU_GUEST_DONE;
}

static enum vpmu_guest_answer on_rdmsr(unsigned int vcpu, uint64_t code, uint32_t address,
				       uint64_t *value)
{
	if (address == SHOWN)
		show(shown_read, code);
	if (!address_is_ours(address))
		return VPMU_GUEST_UNKNOWN;
	access_begin(shown_read, code);
	return answer(vpmu_rdmsr(machine, vpmu_whole_cpu(vcpu), address, value));
}

static enum vpmu_guest_answer on_wrmsr(unsigned int vcpu, uint64_t code, uint32_t address,
				       uint64_t value)
{
	enum vpmu_guest_answer given;

	if (address == SHOWN)
		show(shown_write, code);
	if (!address_is_ours(address))
		return VPMU_GUEST_UNKNOWN;
	access_begin(shown_write, code);
	given = answer(vpmu_wrmsr(machine, vpmu_whole_cpu(vcpu), address, value));
	vpmu_core_feed_follow();
	return given;
}

static enum vpmu_guest_answer on_rdpmc(unsigned int vcpu, uint32_t index, uint64_t *value)
{
	vpmu_whole_publish();
	vpmu_lock(machine);
	return answer(vpmu_rdpmc(machine, vpmu_whole_cpu(vcpu), index, value));
}

static bool on_cpuid(unsigned int vcpu, uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	if (leaf != DOORBELL)
		return vpmu_cpuid(&machine->machine, vpmu_whole_cpu(vcpu), leaf, subleaf,
				  registers);
	memset(registers, 0, 4 * sizeof(*registers));
	if (subleaf == BEGIN || subleaf == END)
		vpmu_whole_count(subleaf == BEGIN);
	registers[0] = 1;
	return true;
}

static bool on_pci_read(uint32_t offset, uint8_t *byte)
{
	bool here = offset / 2 * 2 == PCI_DEVICE || offset / 8 * 8 == PCI_BAR;
	uint64_t bar = 0;
	int rc;

	if (!here && offset / 8 * 8 != PCI_SAF_BAR)
		return false;
	vpmu_lock(machine);
	if (!here)
		here = !vpmu_pci_read(machine, PCI_SAF_BAR, &bar, sizeof(bar)) && bar;
	rc = vpmu_pci_read(machine, offset, byte, 1);
	vpmu_unlock(machine);
	return here && !rc;
}

static void on_window(uint64_t *base, uint64_t *bytes)
{
	vpmu_mmio_window(machine, base, bytes);
}

static uint32_t on_window_read(unsigned int vcpu, uint32_t offset)
{
	uint32_t value;

	(void)vcpu;
	vpmu_whole_publish();
	vpmu_lock(machine);
	machine->accesses.window++;
	memcpy(&value, vpmu_package_mmio(machine, 0) + offset, sizeof(value));
	vpmu_unlock(machine);
	return value;
}

static void on_window_write(unsigned int vcpu, bool program, uint32_t offset, uint64_t value,
			    uint32_t bytes)
{
	vpmu_whole_publish();
	vpmu_lock(machine);
	machine->kernel = program ? VPMU_BOOTED : VPMU_KERNEL_ACCESS;
	vpmu_mmio_write(machine, vpmu_whole_cpu(vcpu), offset, value, bytes);
	answer(0);
}

static void on_forget(unsigned int vcpu, enum vpmu_guest_forgotten what, uint64_t address)
{
	(void)vcpu;
	switch (what) {
	case VPMU_GUEST_PAGE:
		vpmu_whole_forget(address, address);
		break;
	case VPMU_GUEST_SPACE:
		/* The kernel's half of the addresses is of global pages. */
		vpmu_whole_forget(0, INT64_MAX);
		break;
	case VPMU_GUEST_ALL:
		vpmu_whole_forget(0, UINT64_MAX);
		break;
	}
}

static void on_interrupted(unsigned int vcpu)
{
	(void)vcpu;
	vpmu_core_feed_interrupted();
}

/* ---- suspend to RAM ---- */

static uint8_t *switched_on;	/* all registers as they were at the machine's start */

static bool registers_remember(void)
{
	switched_on = malloc(machine->registers_bytes + machine->mmio_bytes);
	if (!switched_on)
		return false;
	memcpy(switched_on, vpmu_package_state(machine, 0), machine->registers_bytes);
	memcpy(switched_on + machine->registers_bytes, vpmu_package_mmio(machine, 0),
	       machine->mmio_bytes);
	return true;
}

static void on_power_lost(void)
{
	vpmu_lock(machine);
	memcpy(vpmu_package_state(machine, 0), switched_on, machine->registers_bytes);
	memcpy(vpmu_package_mmio(machine, 0), switched_on + machine->registers_bytes,
	       machine->mmio_bytes);
	vpmu_whole_power_lost();
	vpmu_unlock(machine);
}

static const struct vpmu_guest_calls calls = {
	.rdmsr = on_rdmsr, .wrmsr = on_wrmsr, .rdpmc = on_rdpmc, .cpuid = on_cpuid,
	.pci_read = on_pci_read, .window = on_window, .window_read = on_window_read,
	.forget = on_forget, .window_write = on_window_write, .power_lost = on_power_lost,
	.interrupted = on_interrupted, .turn = vpmu_whole_turn,
	.kicked = vpmu_scheduler_cpu_kicked,
};

/* Counters hold anything when a processor is switched on; a board's firmware leaves zeros, which
 * Linux takes for granted. A counter is what is narrower than a register of 32 or 64 bits. */
static void clear_counter(const struct vpmu_register_info *r)
{
	if (r->access != VPMU_RW || r->width == 32 || r->width >= 64 || machine->accesses.wrmsr)
		return;
	for (uint32_t cpu = 0; cpu < vpmu_machine_cpus(&machine->machine); cpu++)
		vpmu_model_poke(machine, cpu, r, 0);
}

/* In one piece, into the machine's last words. */
static void complain_of_emulator(uint32_t version)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path));

	dprintf(STDERR_FILENO, "vpmu: the emulator %.*s was made for version %u of the calls of a "
		"whole machine, this model takes %u: run 'make guest' in the build tree\n",
		n > 0 ? (int)n : 0, path, (unsigned int)version, VPMU_GUEST_VERSION);
}

const struct vpmu_guest_calls *vpmu_guest_open(const struct vpmu_guest_host *h)
{
	struct vpmu_register_info r;

	if (h->version != VPMU_GUEST_VERSION) {
		complain_of_emulator(h->version);
		return NULL;
	}
	host = h;
	machine = vpmu_whole_open(h);
	if (!machine)
		return NULL;
	machine->interrupts_told = true;
	for (uint32_t i = 0; vpmu_model_register(&machine->machine, i, &r); i++)
		if (r.space == VPMU_MSR && r.address < MSRS) {
			ours[r.address / 8] |= (uint8_t)(1u << r.address % 8);
			clear_counter(&r);
		}
	return registers_remember() ? &calls : NULL;
}
