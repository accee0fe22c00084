/* SPDX-License-Identifier: MIT */
/* Joins a whole machine in QEMU to the feed; whole.h has the rules. qemu_plugin_install() opens the
 * machine, and the vpmu_whole_*() functions are for registers.c. The callbacks turn virtual into
 * physical addresses and pass on to callbacks.c. They run in the thread of their CPU. While the
 * feed sleeps, no callback is registered. Interrupts are passed on without the machine lock. */
#include "whole.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../emulator/user_calls.h"
#include "../feed/thread/clock.h"
#include "../feed/thread/emulated_thread.h"
#include "../feed/core/tlb.h"
#include "../feed/thread/machine_lock.h"
#include "../feed/thread/process_turn.h"
#include "../feed/thread/scheduler.h"
#include "../feed/callbacks.h"
#include "../model/model.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED extern int qemu_plugin_version;
EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
				 char **argv);

EXPORTED int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static const struct vpmu_guest_host *host;
static struct vpmu_segment *machine;	/* as the registers' side has mapped it */
static qemu_plugin_id_t feed_id;
static bool fed, awake;
static bool from_kernel;	/* awake, and firmware is still what is executed */
static __thread bool halted;	/* the calling CPU has been without work since its last turn */
static uint64_t main_start, main_bytes;	/* of the guest's memory in this process */
static uint64_t raised[VPMU_CPUS_MAX];	/* interrupts of each CPU that were passed on */

struct vpmu_segment *vpmu_whole_open(const struct vpmu_guest_host *h)
{
	const char *path = getenv("VPMU_SEGMENT");
	char why[512] = "VPMU_SEGMENT names no machine";

	host = h;
	if (!path || !*path || vpmu_segment_open(path, &machine, why, sizeof(why)))
		dprintf(STDERR_FILENO, "vpmu: %s\n", why);
	return machine;
}

/* ---- CPUs ---- */

uint32_t vpmu_whole_cpu(unsigned int vcpu)
{
	const struct vpmu_machine *m = &machine->machine;

	return vpmu_core_cpu(m, vpmu_place_core(m, vcpu / m->threads), vcpu % m->threads) %
	       vpmu_machine_cpus(m);
}

static unsigned int vcpu_of(uint32_t cpu)
{
	const struct vpmu_machine *m = &machine->machine;

	return vpmu_core_place(m, vpmu_cpu_core(m, cpu)) * m->threads + vpmu_cpu_thread(m, cpu);
}

/* ---- interrupts ---- */

static void cpu_pass_on(uint32_t cpu)
{
	uint64_t now = vpmu_model_interrupts(machine, cpu);

	if (__atomic_load_n(&raised[cpu], __ATOMIC_RELAXED) == now)
		return;
	if (__atomic_exchange_n(&raised[cpu], now, __ATOMIC_RELAXED) != now)
		host->interrupt(vcpu_of(cpu), true);
}

/* Machines with more CPUs than this pass on interrupts of the calling core only. Other cores pass
 * on theirs at their next check. */
#define ALL_CPUS 32u

void vpmu_whole_interrupts(void)
{
	const struct vpmu_machine *m = &machine->machine;
	uint32_t cpus = vpmu_machine_cpus(m);

	if (cpus <= ALL_CPUS || !vpmu_self) {
		for (uint32_t cpu = 0; cpu < cpus; cpu++)
			cpu_pass_on(cpu);
		return;
	}
	for (uint32_t thread = 0; thread < m->threads; thread++)
		cpu_pass_on(vpmu_core_cpu(m, vpmu_cpu_core(m, vpmu_self->runner.cpu), thread));
}

/* ---- callbacks ---- */

/* Physical address of an offset in main memory. Memory that does not fit below 4 GiB continues
 * there. */
static uint64_t physical(uint64_t offset)
{
	return offset < main_bytes ? offset : offset - main_bytes + (UINT64_C(1) << 32);
}

static bool physical_address(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			     uint64_t *found)
{
	uint64_t here = (uint64_t)(uintptr_t)host->memory(vcpu, address, info);

	*found = physical(here - main_start);
	return here >= main_start;
}

static void on_guest_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			    void *user)
{
	uint64_t found;

	if (vpmu_self && physical_address(vcpu, info, address, &found))
		vpmu_callbacks_parts.access(vcpu, info, found, user);
}

static void on_guest_nontemporal(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
				 void *user)
{
	uint64_t found;

	if (vpmu_self && physical_address(vcpu, info, address, &found))
		vpmu_callbacks_parts.nontemporal(vcpu, info, found, user);
}

/* Drops a prefetch whose page is not among the last translations. */
static void on_guest_prefetch(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			      void *to_l1)
{
	uint64_t found;

	if (vpmu_self && physical_address(vcpu, info, address, &found))
		vpmu_callbacks_parts.prefetch(vcpu, info, found, to_l1);
}

static void on_guest_fence(unsigned int vcpu, void *user)
{
	if (vpmu_self)
		vpmu_callbacks_parts.fence(vcpu, user);
}

/* The feed reports what core PMUs count, and a clock that nobody has published yet. A CPU that
 * waits for memory all the time publishes its own with each line, so it checks for the uncore's
 * overflows here. */
static void on_guest_block(unsigned int vcpu, void *timed)
{
	static __thread uint64_t looked;

	vpmu_callbacks_parts.block(vcpu, timed);
	if (vpmu_self && vpmu_runner_now(&vpmu_self->runner) - looked >= VPMU_PUBLISH_CLOCKS) {
		looked = vpmu_runner_now(&vpmu_self->runner);
		vpmu_whole_interrupts();
	}
}

static void find_memory(void)
{
	main_start = (uint64_t)(uintptr_t)host->main_memory(&main_bytes);
	vpmu_feed.caches.low_bytes = main_bytes;
}

/* Addresses to which boards load kernels: firmware executes nothing there. */
#define KERNELS_FROM 0x100000u
#define KERNELS_TO 0x4000000u

/* The first block of the kernel is translated right before it is executed. */
static bool loop_begins(const struct qemu_plugin_insn *first)
{
	uint64_t at = qemu_plugin_insn_vaddr(first);

	if (at < KERNELS_FROM || at >= KERNELS_TO)
		return false;
	find_memory();
	__atomic_store_n(&from_kernel, false, __ATOMIC_SEQ_CST);
	host->all_leave();	/* they call vpmu_whole_turn() */
	return true;
}

static void on_guest_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	const struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(tb, 0);
	uint64_t here = (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(first);

	(void)id;
	if (awake && (!from_kernel || loop_begins(first)) && here >= main_start)
		vpmu_callbacks_translate(tb, physical(here - main_start));
}

/* ---- turns ---- */

static void turns_begin(void)
{
	static struct vpmu_user_host of_cpus;

	of_cpus.leave = host->leave;
	vpmu_scheduler_begin(&of_cpus, false);
}

/* Without callbacks of blocks no clock advances and no turn ends: then all CPUs execute at once. */
bool vpmu_whole_turn(unsigned int vcpu)
{
	static pthread_once_t begun = PTHREAD_ONCE_INIT;

	if (!__atomic_load_n(&awake, __ATOMIC_SEQ_CST) ||
	    __atomic_load_n(&from_kernel, __ATOMIC_SEQ_CST)) {
		vpmu_scheduler_cpu_halts();
		return true;
	}
	pthread_once(&begun, turns_begin);
	if (!vpmu_scheduler_cpu_turn(vcpu))
		return false;
	if (halted && vpmu_self)
		vpmu_core_feed_restart(false);
	halted = false;
	return true;
}

static void on_idle(qemu_plugin_id_t id, unsigned int vcpu)
{
	(void)id, (void)vcpu;
	if (awake && vpmu_scheduler_has_turn())
		vpmu_whole_publish();
	vpmu_scheduler_cpu_halts();
	halted = true;
}

void vpmu_whole_publish(void)
{
	if (vpmu_self)
		vpmu_callbacks_publish(vpmu_self);
}

void vpmu_whole_forget(uint64_t from, uint64_t to)
{
	if (vpmu_self)
		vpmu_core_feed_forget(from >> VPMU_PAGE_SHIFT, to >> VPMU_PAGE_SHIFT);
}

/* Empties the caches. Modified lines have been written back: the kernel requests that before. */
void vpmu_whole_power_lost(void)
{
	if (fed)
		memset(vpmu_feed.caches.base, 0, vpmu_feed.caches.layout.bytes);
}

/* ---- sleeping ---- */

static void on_exit_of_machine(qemu_plugin_id_t id, void *unused)
{
	(void)id, (void)unused;
	__atomic_fetch_sub(&vpmu_feed.segment->feeds, 1, __ATOMIC_RELAXED);
	machine->kernel = VPMU_NOT_BOOTED;
	vpmu_process_turn_ends();
}

/* Registers the callbacks of a machine that counts, when it does so for the first time: until then
 * the kernel starts without them. They stay, because a CPU may go to sleep at any time, and QEMU's
 * qemu_plugin_reset() frees callbacks that such a CPU is just looking through. */
static void wake_up(void)
{
	static bool registered;

	if (!from_kernel)
		find_memory();
	if (registered)
		return;
	registered = true;
	qemu_plugin_register_vcpu_tb_trans_cb(feed_id, on_guest_translate);
	qemu_plugin_register_vcpu_idle_cb(feed_id, on_idle);
}

bool vpmu_whole_count(bool on)
{
	if (!fed)
		return false;
	if (on == awake)
		return true;
	vpmu_whole_publish();
	if (on)
		wake_up();
	__atomic_store_n(&awake, on, __ATOMIC_SEQ_CST);
	host->forget_code();
	return true;
}

static void retranslate(void)
{
	host->forget_code();
}

static const struct vpmu_core_feed_parts parts = {
	.block = on_guest_block,
	.fence = on_guest_fence,
	.retranslate = retranslate,
	.access = on_guest_access,
	.nontemporal = on_guest_nontemporal,
	.prefetch = on_guest_prefetch,
	.reported = vpmu_whole_interrupts,
};

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	const char *path = vpmu_callbacks_argument(argc, argv, "segment");
	char why[512] = "vpmu feed: needs segment=PATH and make guest's qemu-system-x86_64 with "
			VPMU_GUEST_ENV;

	vpmu_feed.cpu_of = vpmu_whole_cpu;	/* before the feed is opened */
	if (!path || !machine || !info->system_emulation || strcmp(info->target_name, "x86_64") ||
	    vpmu_callbacks_open(path, &parts, why, sizeof(why))) {
		/* QEMU itself only reports that some plugin failed. */
		dprintf(STDERR_FILENO, "%s\n", why);
		return -EINVAL;
	}
	if (vpmu_callbacks_argument(argc, argv, "node"))
		vpmu_feed.caches.node_bytes =
			strtoull(vpmu_callbacks_argument(argc, argv, "node"), NULL, 10);
	feed_id = id;
	fed = true;
	awake = from_kernel = vpmu_callbacks_argument(argc, argv, "from") != NULL;
	__atomic_fetch_add(&vpmu_feed.segment->feeds, 1, __ATOMIC_RELAXED);
	qemu_plugin_register_atexit_cb(id, on_exit_of_machine, NULL);
	if (awake)
		wake_up();
	return 0;
}
