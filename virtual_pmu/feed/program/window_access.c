/* SPDX-License-Identifier: MIT */
/* An instruction that accesses the memory controller's window has faulted (system/window.c).
 * QEMU translates it once more as a block of its own, whose only callback notes the accesses. It
 * executes that block while all other threads are stopped. No lock may be taken meanwhile, because
 * a stopped thread may hold it. So the notes become writes of registers, and accesses of the
 * caches, when the threads continue. The window's lock guards everything here.
 *
 * A store to code that is executed through another mapping (shared_code.c) is executed in the same
 * way, so that its own block may be in the page that it changes.
 *
 * An access to the window is uncached and moves no line, and is no load or store of the core
 * events. Its instruction was counted with the block that it faulted in. */
#include "window_access.h"

#include <string.h>

#include "../../emulator/user_calls.h"
#include "../../system/system.h"

#define NOTES_MAX 512u	/* XSAVE has about a hundred accesses */
#define BYTES_MAX 16u	/* of an access */

struct note {
	uint64_t address;
	qemu_plugin_meminfo_t info;
	uint32_t offset;		/* if it is in the window */
	bool inside;
	uint8_t bytes[BYTES_MAX];	/* stored there */
};

static const struct vpmu_user_host *host;
static qemu_plugin_vcpu_mem_cb_t access_memory;
static struct note notes[NOTES_MAX];
static uint32_t note_count;
static unsigned int noted_vcpu;
static bool stepping;
static __thread bool again;	/* the instruction has faulted once more, maybe in another page */

void vpmu_window_access_begin(const struct vpmu_user_host *with, qemu_plugin_vcpu_mem_cb_t access)
{
	host = with;
	access_memory = access;
}

/* After the access, so that the window holds what was stored. */
static void on_window_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			     void *unused)
{
	struct note *n = &notes[note_count];
	uint32_t bytes = vpmu_info_bytes(info);
	const void *at;

	(void)unused;
	if (note_count == NOTES_MAX || bytes > BYTES_MAX)
		return;
	*n = (struct note){ .address = address, .info = info };
	n->inside = vpmu_system_window_offset(address, &n->offset);
	at = n->inside ? host->memory(address, bytes, false) : NULL;
	if (at)
		memcpy(n->bytes, at, bytes);
	noted_vcpu = vcpu;
	note_count++;
}

bool vpmu_window_access_translate(struct qemu_plugin_tb *tb)
{
	if (!stepping)
		return false;
	qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, 0), on_window_access,
					 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
	return true;
}

/* All other threads are stopped. */
static void around(bool begins)
{
	note_count = begins ? 0 : note_count;
	stepping = begins;
	vpmu_system_window_open(begins);
}

static void window_access_work_off(const struct note *n)
{
	if (n->inside && n->info & VPMU_INFO_STORE)
		vpmu_system_window_write(n->offset, n->bytes, vpmu_info_bytes(n->info));
	else if (!n->inside && access_memory)
		access_memory(noted_vcpu, n->info, n->address, NULL);
}

bool vpmu_window_access_again(void)
{
	return again;
}

static void execute(void)
{
	again = !host->step(around);
	for (uint32_t i = 0; !again && i < note_count; i++)
		window_access_work_off(&notes[i]);
	vpmu_system_window_leave();
}

void vpmu_window_access_execute(void)
{
	vpmu_system_window_lock();
	execute();
}

bool vpmu_window_access_fault(uint64_t address, bool store)
{
	if (!vpmu_system_window_enter(address, store, again))
		return false;
	execute();
	return true;
}
