/* SPDX-License-Identifier: MIT */
#include "virtual.h"

#include <dlfcn.h>
#include <string.h>

/* vpmu preloads a library with these (virtual_pmu/shim/outside.c). */
static struct {
	bool searched, found;
	uint64_t (*clock)(void);
	void (*stop)(void), (*go)(void);
	int (*refresh)(void);
	void (*count)(const char *name);
} machine;

/* ISO C has no conversion from an object to a function pointer. */
static bool find(const char *name, void *function)
{
	void *address = dlsym(RTLD_DEFAULT, name);

	memcpy(function, &address, sizeof(address));
	return address;
}

bool virtual_is_beside(void)
{
	if (machine.searched)
		return machine.found;
	machine.searched = true;
	machine.found = find("vpmu_outside_clock", &machine.clock) &&
			find("vpmu_outside_stop", &machine.stop) &&
			find("vpmu_outside_go", &machine.go) &&
			find("vpmu_outside_refresh", &machine.refresh) &&
			find("vpmu_outside_count", &machine.count);
	return machine.found;
}

uint64_t virtual_clock_ns(void)
{
	return virtual_is_beside() ? machine.clock() : 0;
}

void virtual_stop(void)
{
	if (virtual_is_beside())
		machine.stop();
}

void virtual_go(void)
{
	if (virtual_is_beside())
		machine.go();
}

bool virtual_refresh(void)
{
	return virtual_is_beside() && !machine.refresh();
}

void virtual_count(const char *event)
{
	if (virtual_is_beside())
		machine.count(event);
}
