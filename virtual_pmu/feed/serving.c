/* SPDX-License-Identifier: MIT */
#include "serving.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "../emulator/user_calls.h"
#include "../system/system.h"
#include "emulated.h"
#include "vforks.h"
#include "waiting.h"
#include "watch.h"

static const struct vpmu_user_host *host;

/* Publishes, and releases the machine lock, before a register is read by other means than a system
 * call. */
static void synchronise(void)
{
	if (!vpmu_self)
		return;
	vpmu_watch_publish(vpmu_self);
	vpmu_runner_let_go(vpmu_feed.segment, &vpmu_self->runner);
}

static enum vpmu_user_answer on_rdpmc(uint32_t index, uint64_t *value)
{
	synchronise();
	return vpmu_system_rdpmc(index, value) ? VPMU_USER_FAULT : VPMU_USER_DONE;
}

static bool on_fault(uint64_t address, const struct vpmu_user_registers *r)
{
	synchronise();
	return vpmu_system_fault(address, r->general, r->rip, r->flags);
}

/* The calling thread makes the one that will be this vcpu. */
static void on_thread_created(unsigned int vcpu)
{
	vpmu_emulated_parent(vcpu, vpmu_self);
}

static void on_killed(int number)
{
	(void)number;
	synchronise();
}

static const struct vpmu_user_calls calls = {
	.system_call = vpmu_system_call, .system_return = vpmu_system_return,
	.exec = vpmu_system_exec, .cpuid = vpmu_system_cpuid,
	.rdpmc = on_rdpmc, .fault = on_fault,
	.thread_created = on_thread_created, .killed = on_killed,
};

bool vpmu_serving_begin(const char *path, const char *tool)
{
	static struct vpmu_program_memory memory;
	static const char here;
	char *whole = realpath(path, NULL);
	Dl_info info;

	host = qemu_plugin_vpmu_serve(VPMU_USER_VERSION, &calls);
	if (!host || !whole)
		return false;
	memory = (struct vpmu_program_memory){
		.text = host->text, .memory = host->memory, .cpuid = host->cpuid,
		.program = host->program,
	};
	vpmu_system_begin(vpmu_feed.segment, whole, &memory);
	vpmu_vforks_begin(host);
	if (tool && dladdr(&here, &info))
		vpmu_system_exec_begin(info.dli_fname, tool);
	return true;
}

void *vpmu_serving_memory(uint64_t address, uint64_t bytes)
{
	return host->memory(address, bytes, true);
}
