/* SPDX-License-Identifier: MIT */
/* QEMU's side of the plugin interface, for tests that run the whole plugin: it registers here, the
 * test calls it. */
#ifndef FEED_QEMU_H
#define FEED_QEMU_H

#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "feed_machine.h"
#include "virtual_pmu/feed/qemu_plugin_api.h"
#include "virtual_pmu/feed/program/user_mode.h"
#include "virtual_pmu/feed/program/window_access.h"
#include "virtual_pmu/system/system.h"

struct qemu_plugin_insn {
	uint64_t address;
	size_t size;
	uint8_t bytes[15];
	qemu_plugin_vcpu_mem_cb_t access;
	enum qemu_plugin_mem_rw shows;
	void *access_udata;
	qemu_plugin_vcpu_udata_cb_t execute;
	void *execute_udata;
};
struct qemu_plugin_tb {
	size_t count;
	struct qemu_plugin_insn insn[512];
	qemu_plugin_vcpu_udata_cb_t execute, then;	/* at most two, in their order */
	void *udata, *then_udata;
};

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

static qemu_plugin_vcpu_tb_trans_cb_t translate;
static qemu_plugin_vcpu_syscall_cb_t system_call;
static qemu_plugin_vcpu_syscall_ret_cb_t system_call_return;
static qemu_plugin_udata_cb_t process_exit;
static qemu_plugin_simple_cb_t flush;
static struct vpmu_segment *segment;

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb)
{
	cb(id, 0);
}

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t cb)
{
	(void)id;
	translate = cb;
}

void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_cb_t cb)
{
	(void)id;
	system_call = cb;
}

void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id,
					      qemu_plugin_vcpu_syscall_ret_cb_t cb)
{
	(void)id;
	system_call_return = cb;
}

void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, qemu_plugin_simple_cb_t cb)
{
	(void)id;
	flush = cb;
}

void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t cb, void *udata)
{
	(void)id, (void)udata;
	process_exit = cb;
}

static uint32_t forgotten;

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t cb,
					  enum qemu_plugin_cb_flags flags, void *udata)
{
	(void)flags;
	if (tb->execute && tb->execute != cb) {
		tb->then = cb;
		tb->then_udata = udata;
		return;
	}
	tb->execute = cb;
	tb->udata = udata;
}

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_vcpu_udata_cb_t cb,
					    enum qemu_plugin_cb_flags flags, void *udata)
{
	(void)flags;
	insn->execute = cb;
	insn->execute_udata = udata;
}

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_mem_cb_t cb,
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
				      void *udata)
{
	(void)flags;
	insn->access = cb;
	insn->shows = rw;
	insn->access_udata = udata;
}

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb)
{
	return tb->count;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index)
{
	return (struct qemu_plugin_insn *)(uintptr_t)&tb->insn[index];
}

void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn)
{
	return (void *)(uintptr_t)insn->bytes;
}

size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t bytes)
{
	size_t count = insn->size < bytes ? insn->size : bytes;

	memcpy(to, insn->bytes, count);
	return count;
}

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
	return insn->size;
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
	return insn->address;
}

enum direction { LOADS, STORES };

/* The instruction makes an access: its callback, if it has one for that. */
static inline bool make_access(const struct qemu_plugin_insn *insn, uint64_t address,
			       uint32_t bytes, enum direction direction)
{
	bool shown = insn->access && (insn->shows & (1u << direction));

	if (shown)
		insn->access(0, vpmu_info(bytes, direction == STORES), address,
			     insn->access_udata);
	return shown;
}

/* The plugin's other side is not of these tests. */
bool vpmu_window_access_translate(struct qemu_plugin_tb *tb)
{
	(void)tb;
	return false;
}

void vpmu_system_window_forked(void)
{
}

bool vpmu_user_mode_begin(const char *path, const struct vpmu_passed_on *with,
			  const struct vpmu_fixed *fixed)
{
	(void)path, (void)with, (void)fixed;
	return true;
}

void vpmu_user_mode_follow(void)
{
}

void vpmu_user_mode_registers(void)
{
}

void vpmu_user_mode_forget(void)
{
	forgotten++;
}

int vpmu_segment_open(const char *path, struct vpmu_segment **out, char *why, size_t why_bytes)
{
	if (strcmp(path, "here")) {
		snprintf(why, why_bytes, "%s: not a segment (this message is wanted)", path);
		return -EINVAL;
	}
	*out = segment;
	return 0;
}


static inline void call(int64_t number, uint64_t a1, uint64_t a2)
{
	system_call(1, 0, number, a1, a2, 0, 0, 0, 0, 0, 0);
}

static inline void synchronise(void)
{
	call(SYS_getppid, 0, 0);
}

static const qemu_info_t x86_64 = { .target_name = "x86_64", .version = { 0, 1 } };

#endif
