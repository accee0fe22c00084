/* SPDX-License-Identifier: MIT */
/* Answers the calls of QEMU's user mode. System calls go to system/. Instructions that use
 * registers (RDPMC, RDTSC, SPFLT) or fault on the window are handled here. vpmu_user_mode_begin()
 * passes the table of functions to QEMU. Before a register is read other than by a system call,
 * synchronise() publishes the thread's counts and releases the machine lock, which system/
 * takes. */
#include "user_mode.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include "../../emulator/user_calls.h"
#include "../../system/system.h"
#include "../thread/emulated_thread.h"
#include "illegal_instructions.h"
#include "shared_code.h"
#include "window_access.h"
#include "vfork.h"
#include "../profile/clocks.h"
#include "../profile/mappings.h"
#include "../profile/follower.h"
#include "../profile/registers.h"
#include "../thread/clock.h"
#include "../thread/host_calls.h"
#include "../thread/machine_lock.h"
#include "../cache/memory_controller.h"
#include "../thread/process_turn.h"
#include "../thread/scheduler.h"
#include "../thread/signals.h"
#include "../thread/waits.h"
#include "../callbacks.h"

static const struct vpmu_user_host *host;
static bool has_tsc;		/* the model has a time-stamp counter */
static bool model_time;		/* the program reads the machine's clock */
static struct vpmu_user_layout layout;

/* Before a register is read by other means than a system call. */
static void synchronise(void)
{
	if (vpmu_self)
		vpmu_callbacks_publish(vpmu_self);
}

static enum vpmu_user_answer on_rdpmc(uint32_t index, uint64_t *value)
{
	synchronise();
	return vpmu_system_rdpmc(index, value) ? VPMU_USER_FAULT : VPMU_USER_DONE;
}

static bool on_illegal(uint64_t general[16], uint64_t *rip)
{
	synchronise();
	return vpmu_system_illegal(general, rip);
}

static bool on_rdtsc(uint64_t *value)
{
	if (!has_tsc && !model_time)
		return false;
	synchronise();
	return has_tsc ? vpmu_system_rdtsc(value) : vpmu_system_clock(value);
}

/* The instruction that has faulted is executed alone and counted here, with those before it. */
static void count_up_to_fault(const struct vpmu_user_block *block)
{
	const uint8_t *code;

	if (!vpmu_self || !block->left || vpmu_window_access_again())
		return;
	code = host->memory(block->address, block->bytes, false);
	vpmu_callbacks_interrupted(block->address, code, block->bytes, block->instructions,
				   block->instructions - block->left + 1);
}

static bool on_fault(uint64_t address, bool store, const struct vpmu_user_block *block)
{
	bool of_code = store && vpmu_shared_code_fault(address);

	if (!of_code && !vpmu_system_in_window(address, 1))
		return false;
	count_up_to_fault(block);
	synchronise();
	if (of_code)
		vpmu_window_access_execute();
	return of_code || vpmu_window_access_fault(address, store);
}

void vpmu_user_mode_forget(void)
{
	host->forget();
}

void vpmu_user_mode_follow(void)
{
	const struct vpmu_follow_host with = {
		.stack = host->stack, .memory = host->memory,
		.argument = vpmu_register_argument, .result = vpmu_register_result,
	};

	vpmu_follow_begin(&with);
}

void vpmu_user_mode_registers(void)
{
	if (vpmu_following)
		vpmu_registers_find();
}

static int home(uint64_t address, int move)
{
	const struct vpmu_runner runner = { .space = vpmu_feed.space };
	const struct vpmu_caches *c = &vpmu_feed.caches;
	uint64_t tag = vpmu_runner_tag(&runner, address);
	int node = 0;

	if (!c->layout.boxes || vpmu_feed.segment->machine.packages == 1)
		return 0;
	vpmu_lock(vpmu_feed.segment);
	if (move >= 0)
		vpmu_controller_home_move(c, tag, (uint32_t)move);
	node = vpmu_controller_home_known(c, tag)
		       ? (int)vpmu_controller_home_package(c, &runner, tag)
		       : -ENOENT;
	vpmu_unlock(vpmu_feed.segment);
	return node;
}

/* The calling thread makes the one that will be this vcpu. */
static void on_thread_created(unsigned int vcpu)
{
	vpmu_emulated_parent(vcpu, vpmu_self);
	vpmu_scheduler_created(vcpu);
}

static bool on_system_call(int64_t number, int64_t arguments[6], int64_t *answer)
{
	vpmu_host_call_begins(number, arguments);
	if (vpmu_waits_call(number, arguments, answer) ||
	    vpmu_signals_call(number, arguments, answer) ||
	    vpmu_system_call(number, arguments, answer)) {
		vpmu_host_call_ends(number, arguments, *answer);
		return true;
	}
	vpmu_host_call_leaves(number, arguments);
	return false;
}

static void on_system_return(int64_t number, const int64_t arguments[6], int64_t *answer)
{
	vpmu_host_call_ends(number, arguments, *answer);
	vpmu_system_return(number, arguments, answer);
	vpmu_shared_code_call(number, arguments, *answer);
	if (vpmu_profiles())
		vpmu_mappings_call(number, arguments, *answer);
	vpmu_follow_system_call(number, arguments, *answer);
}

static int on_exec(int dirfd, int flags, const char **path, char ***argv, char ***envp)
{
	int rc = vpmu_system_exec(dirfd, flags, path, argv, envp);

	if (!rc && !vpmu_system_exec_stays() && vpmu_turn_self)
		vpmu_process_turn_give(vpmu_turn_clock());
	return rc;
}

static void on_turn(unsigned int vcpu)
{
	if (vpmu_self && vpmu_turn_self && vpmu_turn_self->leaving)
		vpmu_runner_settle(&vpmu_self->runner);
	vpmu_scheduler_turn(vcpu);
	if (vpmu_self)
		vpmu_profile_place(&vpmu_self->runner);
}

static void on_killed(int number)
{
	vpmu_illegal_killed(number);
	synchronise();
	vpmu_process_turn_ends();
}

void vpmu_user_mode_aborted(void)
{
	__atomic_fetch_add(&vpmu_feed.segment->aborted_count, 1, __ATOMIC_RELAXED);
}

/* As far as Linux moves them. */
static void fill_layout(uint64_t seed)
{
	const uint64_t page = 4096;

	if (!seed)
		return;
	layout = (struct vpmu_user_layout){
		.stack = (vpmu_fixed_stream(seed, 1) & 0x3fff) * page,
		.stack_start = (vpmu_fixed_stream(seed, 2) & 0x1ff) * 16,
		.program = (vpmu_fixed_stream(seed, 3) & 0xfffffff) * page,
		.heap = (vpmu_fixed_stream(seed, 4) & 0x1fff) * page,
		.mappings = (vpmu_fixed_stream(seed, 5) & 0xfffffff) * page,
	};
}

static const struct vpmu_user_calls calls = {
	.layout = &layout,
	.system_call = on_system_call,
	.system_return = on_system_return,
	.exec = on_exec,
	.cpuid = vpmu_system_cpuid,
	.rdpmc = on_rdpmc,
	.fault = on_fault,
	.illegal = on_illegal,
	.rdtsc = on_rdtsc,
	.rdpid = vpmu_system_tsc_aux,
	.thread_created = on_thread_created,
	.turn = on_turn,
	.thread_ended = vpmu_scheduler_ended,
	.killed = on_killed,
	.aborted = vpmu_user_mode_aborted,
	.status_line = vpmu_system_status_line,
};

bool vpmu_user_mode_begin(const char *path, const struct vpmu_passed_on *with,
			  const struct vpmu_fixed *fixed)
{
	static struct vpmu_program_memory memory;
	static const char here;
	char *whole = realpath(path, NULL);
	Dl_info info;

	fill_layout(fixed->seed);
	host = qemu_plugin_vpmu_serve(VPMU_USER_VERSION, &calls);
	if (!host || !whole)
		return false;
	memory = (struct vpmu_program_memory){
		.text = host->text, .memory = host->memory, .cpuid = host->cpuid,
		.program = host->program, .protect = host->protect,
		.home = home, .random = host->random, .seed = host->seed, .stack = host->stack,
	};
	vpmu_window_access_begin(host, vpmu_feed.left_out ? NULL : vpmu_callbacks_parts.access);
	vpmu_system_begin(vpmu_feed.segment, whole, &memory);
	vpmu_system.left_out = vpmu_feed.left_out;
	if (!vpmu_feed.segment->machine.one_node)
		vpmu_feed.caches.place = vpmu_system_place;
	model_time = fixed->model_time;
	has_tsc = vpmu_system_rdtsc(&(uint64_t){ 0 });
	vpmu_system_fixed_begin(fixed);
	vpmu_vforks_begin(host);
	vpmu_shared_code_begin(host);
	vpmu_scheduler_begin(host, fixed->model_time);
	vpmu_timers_begin(vpmu_signals_timer);
	if (with->tool && dladdr(&here, &info))
		vpmu_system_exec_begin(info.dli_fname, with);
	return true;
}
