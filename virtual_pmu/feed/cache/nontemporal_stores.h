/* SPDX-License-Identifier: MIT */
/* The callbacks of non-temporal stores and of fences, and what other accesses do to such stores. */
#ifndef VPMU_FEED_NONTEMPORAL_STORES_H
#define VPMU_FEED_NONTEMPORAL_STORES_H

#include "../thread/emulated_thread.h"
#include "../qemu_plugin_api.h"

void vpmu_nontemporal_store(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			    void *unused);
void vpmu_nontemporal_fence(unsigned int vcpu, void *unused);
/* An ordinary access to this line, which may still gather such stores. */
void vpmu_nontemporal_release(struct vpmu_emulated *t, uint64_t tag);

#endif
