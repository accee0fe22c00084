/* SPDX-License-Identifier: MIT */
/* feed/: the execution feed, a plugin of QEMU that turns what a program executes into events of the
 * model. This file joins it to QEMU's user-mode emulation: system calls, threads and processes. An
 * emulated thread is a host thread with the same id. qemu_plugin_install() is the entry point, and
 * QEMU calls each callback in the thread that it is about. Before a system call the thread
 * publishes what it has done and releases the machine lock, because the call may wait for another
 * thread. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../system/regions.h"
#include "../system/system.h"
#include "thread/clock.h"
#include "cache/contention.h"
#include "thread/emulated_thread.h"
#include "translate/access_groups.h"
#include "program/illegal_instructions.h"
#include "program/user_mode.h"
#include "program/outside.h"
#include "program/shared_code.h"
#include "program/window_access.h"
#include "profile/follower.h"
#include "program/vfork.h"
#include "thread/machine_lock.h"
#include "thread/process_turn.h"
#include "thread/scheduler.h"
#include "callbacks.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED extern int qemu_plugin_version;
EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
				 char **argv);

EXPORTED int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static bool attached;
static const char *loaded_from;	/* a descriptor, see vpmu_system_exec_loaded(); or NULL */

static uint64_t new_space(void)
{
	uint32_t id = __atomic_fetch_add(&vpmu_feed.segment->next_space, 1, __ATOMIC_RELAXED);

	return (uint64_t)(id & 0xffff) << VPMU_SPACE_SHIFT;
}

static void count_feed(bool attach)
{
	if (attached == attach)
		return;
	attached = attach;
	__atomic_fetch_add(&vpmu_feed.segment->feeds, attach ? 1u : -1u, __ATOMIC_RELAXED);
}

static bool is_exec(int64_t num)
{
	return num == SYS_execve || num == SYS_execveat;
}

static void before_exec(void)
{
	vpmu_follow_settle();
	count_feed(false);
}

static void after_failed_exec(void)
{
	count_feed(true);
	vpmu_system_exec_failed();
}

/* The emulator may fail before the program's first instruction, for instance without memory. */
static void program_begins(void)
{
	static bool begun;

	if (!__atomic_exchange_n(&begun, true, __ATOMIC_RELAXED)) {
		__atomic_fetch_add(&vpmu_feed.segment->begun_count, 1, __ATOMIC_RELAXED);
		if (vpmu_profiles())
			vpmu_profile_store_program(vpmu_system.memory->program);
	}
}

static void guard_code(const struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, qemu_plugin_tb_n_insns(tb) - 1);

	vpmu_shared_code_translate(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)),
				   qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last) - 1);
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	program_begins();
	if (vpmu_window_access_translate(tb))
		return;
	guard_code(tb);
	vpmu_illegal_translate(tb);
	if (vpmu_feed.left_out ||
	    vpmu_regions_quiet(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0))))
		return;
	vpmu_callbacks_translate(tb, qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)));
}

/* No thread is in a translation or makes one. */
static void on_flush(qemu_plugin_id_t id)
{
	(void)id;
	vpmu_groups_free();
}

/* ---- a process that --only leaves out: its threads are none of the machine's ---- */

static void left_out_call(int64_t num, uint64_t a1, uint64_t a2)
{
	vpmu_illegal_call(num, a1, a2);
	vpmu_vforks_call(num, a1);
	if (is_exec(num))
		count_feed(false);
}

static void left_out_return(int64_t num, int64_t ret)
{
	if (is_exec(num)) {
		count_feed(true);
		vpmu_system_exec_failed();
	}
	if (vpmu_vforks_return(ret))
		vpmu_vforks_wait((pid_t)ret);
}

/* ---- system calls, threads, processes ---- */

static void thread_ends(void)
{
	vpmu_scheduler_ends();
	vpmu_emulated_end();
}

static void on_syscall(qemu_plugin_id_t id, unsigned int vcpu, int64_t num, uint64_t a1,
		       uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
		       uint64_t a8)
{
	struct vpmu_emulated *t = vpmu_self;

	(void)id, (void)vcpu, (void)a5, (void)a6, (void)a7, (void)a8;
	if (vpmu_feed.left_out)
		left_out_call(num, a1, a2);
	if (!t)
		return;
	vpmu_runner_settle(&t->runner);
	t->polls = vpmu_syscall_polls(num, a3, a4);
	t->waits = !t->polls && vpmu_syscall_waits(num, a2);
	vpmu_contended_sleep(&t->runner, t->waits);
	/* Serialising. */
	vpmu_emulated_publish(t);
	vpmu_core_feed_report();
	vpmu_runner_release(vpmu_feed.segment, &t->runner);
	vpmu_illegal_call(num, a1, a2);
	vpmu_vforks_call(num, a1);
	if (is_exec(num))
		before_exec();
	else if (num == SYS_exit || num == SYS_exit_group)
		thread_ends();
	else if (t->waits && !vpmu_scheduler_shares())
		vpmu_emulated_sleep(t);
}

/* The thread has polled for an event and found none. Another thread may bring one. */
static void has_polled(struct vpmu_emulated *t)
{
	if (vpmu_spinning_polls(&t->spinning, t->runner.misses))
		vpmu_scheduler_spin(t->runner.own, t->runner.clock);
}

static void on_syscall_return(qemu_plugin_id_t id, unsigned int vcpu, int64_t num, int64_t ret)
{
	struct vpmu_emulated *t = vpmu_self;

	(void)id, (void)vcpu;
	if (vpmu_feed.left_out)
		left_out_return(num, ret);
	if (!t)
		return;
	if (is_exec(num))
		after_failed_exec();
	if (vpmu_vforks_return(ret)) {
		if (!vpmu_scheduler_outside())
			vpmu_emulated_sleep(t);
		vpmu_vforks_wait((pid_t)ret);
		vpmu_scheduler_back();
		vpmu_emulated_wake(t);
		vpmu_runner_continue(&t->runner, 0);
		vpmu_core_feed_restart(false);
	}
	if (t->polls && !ret)
		has_polled(t);
	if (t->sleeps) {
		vpmu_emulated_wake(t);
		vpmu_runner_continue(&t->runner, 0);
	}
	if (t->waits)
		vpmu_core_feed_restart(false);
	vpmu_contended_sleep(&t->runner, false);
	t->waits = false;
	vpmu_runner_check_next(&t->runner);	/* it may be on another CPU */
	vpmu_core_feed_follow();
}

static void on_vcpu_start(qemu_plugin_id_t id, unsigned int vcpu)
{
	(void)id, (void)vcpu;
	vpmu_user_mode_registers();
	vpmu_system_exec_loaded(loaded_from);
	loaded_from = NULL;
}

static void on_process_exit(qemu_plugin_id_t id, void *unused)
{
	(void)id, (void)unused;
	if (vpmu_self)
		vpmu_runner_settle(&vpmu_self->runner);
	vpmu_emulated_end();
	count_feed(false);
	vpmu_notes_end();
	vpmu_process_turn_ends();
}

static void before_fork(void)
{
	vpmu_system_fork_begin();
	vpmu_scheduler_fork();
}

static void after_fork(void)
{
	vpmu_scheduler_fork_child();
	attached = false;
	vpmu_notes_forked();
	vpmu_follow_forked();
	vpmu_system_window_forked();
	count_feed(true);
	vpmu_system_forked();
	vpmu_feed.space = new_space();
	if (vpmu_self) {
		vpmu_self->combining.used = 0;	/* the parent's */
		vpmu_emulated_enter(vpmu_self, vpmu_self->runner.tid, 0);
		vpmu_core_feed_restart(true);
	}
}

static uint64_t text_number(const char *text)
{
	return text ? strtoull(text, NULL, 10) : 0;
}

static bool says(const char *text, const char *word)
{
	return text && !strcmp(text, word);
}

static struct vpmu_fixed fixed_of(int argc, char **argv)
{
	return (struct vpmu_fixed){
		.seed = text_number(vpmu_callbacks_argument(argc, argv, "seed")),
		.stream = text_number(vpmu_callbacks_argument(argc, argv, "stream")),
		.host_random = !says(vpmu_callbacks_argument(argc, argv, "random"), "fixed"),
		.model_time = says(vpmu_callbacks_argument(argc, argv, "time"), "model"),
	};
}

/* A process without one runs all the same; `vpmu run` says so at the end. */
static void begin_profile(const char *folder, bool data)
{
	const struct vpmu_profile_origin from = {
		.folder = folder, .machine = vpmu_feed.segment->machine.name,
	};

	if (!vpmu_notes_begin(&from, &vpmu_feed.segment->profiles_paused)) {
		__atomic_fetch_add(&vpmu_feed.segment->profiles_failed, 1, __ATOMIC_RELAXED);
		return;
	}
	vpmu_callbacks_profile();
	if (data)
		vpmu_user_mode_follow();
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	struct vpmu_core_feed_parts parts = vpmu_callbacks_parts;
	const char *path = vpmu_callbacks_argument(argc, argv, "segment");
	const char *only = vpmu_callbacks_argument(argc, argv, "only");
	const char *profile = vpmu_callbacks_argument(argc, argv, "profile");
	const struct vpmu_passed_on with = {
		.tool = vpmu_callbacks_argument(argc, argv, "tool"),
		.only = only ? only : "",
		.profile = profile ? profile : "",
		.data = says(vpmu_callbacks_argument(argc, argv, "data"), "on"),
	};
	struct vpmu_fixed fixed;
	char why[512] = "vpmu feed: needs segment=PATH and a user-mode x86_64 QEMU";

	parts.retranslate = vpmu_user_mode_forget;
	parts.retires = true;
	if (!path || info->system_emulation || strcmp(info->target_name, "x86_64") ||
	    vpmu_callbacks_open(path, &parts, why, sizeof(why))) {
		/* QEMU itself only reports that some plugin failed. */
		dprintf(STDERR_FILENO, "%s\n", why);
		return -EINVAL;
	}
	fixed = fixed_of(argc, argv);
	vpmu_feed.left_out = says(vpmu_callbacks_argument(argc, argv, "counts"), "off");
	if (!vpmu_user_mode_begin(path, &with, &fixed)) {
		dprintf(STDERR_FILENO, "vpmu feed: this QEMU is not one that the project has "
			"built\n");
		return -EINVAL;
	}
	vpmu_outside_begin(vpmu_callbacks_argument(argc, argv, "regions"), vpmu_user_mode_forget);
	if (profile && !vpmu_feed.left_out)
		begin_profile(profile, with.data);
	loaded_from = vpmu_callbacks_argument(argc, argv, "close");
	vpmu_feed.space = new_space();
	count_feed(true);
	if (only && !vpmu_feed.left_out)
		__atomic_fetch_add(&vpmu_feed.segment->chosen_count, 1, __ATOMIC_RELAXED);
	pthread_atfork(before_fork, vpmu_scheduler_fork_parent, after_fork);
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_start);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_flush_cb(id, on_flush);
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, on_syscall_return);
	qemu_plugin_register_atexit_cb(id, on_process_exit, NULL);
	return 0;
}
