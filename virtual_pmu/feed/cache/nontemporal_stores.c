/* SPDX-License-Identifier: MIT */
#include "nontemporal_stores.h"

#include "../thread/clock.h"
#include "../thread/machine_lock.h"

static void combine(struct vpmu_emulated *t, uint64_t tag, uint64_t bytes)
{
	if (vpmu_combining_add(&t->combining, tag, bytes))
		return;
	vpmu_runner_lock(vpmu_feed.segment, &t->runner);
	vpmu_combining_open(&vpmu_feed.caches, &t->runner, &t->combining, tag, bytes);
	vpmu_runner_publish(&vpmu_feed.caches, &t->runner, VPMU_PUBLISH_CLOCKS);
}

void vpmu_nontemporal_store(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			    void *unused)
{
	uint32_t size = vpmu_info_bytes(info);
	uint64_t offset = address % VPMU_LINE_BYTES;
	uint64_t tag = vpmu_runner_tag(&vpmu_self->runner, address);
	uint64_t bytes = (1ull << size) - 1;

	(void)vcpu, (void)unused;
	combine(vpmu_self, tag, bytes << offset);
	if (__builtin_expect(offset + size > VPMU_LINE_BYTES, 0))
		combine(vpmu_self, tag + VPMU_LINE_BYTES, bytes >> (VPMU_LINE_BYTES - offset));
}

void vpmu_nontemporal_fence(unsigned int vcpu, void *unused)
{
	(void)vcpu, (void)unused;
	if (vpmu_self->combining.used)
		vpmu_emulated_publish(vpmu_self);
}

__attribute__((cold)) void vpmu_nontemporal_release(struct vpmu_emulated *t, uint64_t tag)
{
	if (!vpmu_combining_has(&t->combining, tag))
		return;
	vpmu_runner_lock(vpmu_feed.segment, &t->runner);
	vpmu_combining_flush_line(&vpmu_feed.caches, &t->runner, &t->combining, tag);
}
