/* SPDX-License-Identifier: MIT */
/* Faults of a machine's PMU, linked into a virtual machine of the tests' own by the linker's
 * --wrap. FAULT in the environment names them. */
#include "model/bulk.h"
#include "model/counter.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#define CBO_CONFIG 0x396u

int __real_vpmu_rdmsr(struct vpmu_segment *s, uint32_t cpu, uint32_t address, uint64_t *value);
bool __real_vpmu_counter_apply(struct vpmu_counter *c, uint32_t width, uint64_t increment,
			       uint64_t n);
int __real_vpmu_wrmsr(struct vpmu_segment *s, uint32_t cpu, uint32_t address, uint64_t value);
bool __real_vpmu_bulk_of(struct vpmu_segment *s, uint32_t package, struct vpmu_bulk *out);
void __real_vpmu_dram(struct vpmu_segment *s, uint32_t package, uint32_t requests,
		      uint32_t read_cas, uint32_t write_cas);

static bool fault(const char *name)
{
	const char *chosen = getenv("FAULT");

	return chosen && strstr(chosen, name);
}

/* MSR_UNC_CBO_CONFIG has a slice less than there are. */
int __wrap_vpmu_rdmsr(struct vpmu_segment *s, uint32_t cpu, uint32_t address, uint64_t *value)
{
	int rc = __real_vpmu_rdmsr(s, cpu, address, value);

	if (!rc && address == CBO_CONFIG && fault("slices"))
		*value -= 1;
	return rc;
}

/* Counters of the C-Boxes and of the arbiter with 40 bits in place of 44, or with 48. */
static bool is_counter(uint32_t address)
{
	return address == 0x3B0 || address == 0x3B1 ||
	       (address >= 0x706 && address < 0x780 && (address & 0xF) / 2 == 3);
}

int __wrap_vpmu_wrmsr(struct vpmu_segment *s, uint32_t cpu, uint32_t address, uint64_t value)
{
	if (is_counter(address) && fault("narrow"))
		value &= (UINT64_C(1) << 40) - 1;
	return __real_vpmu_wrmsr(s, cpu, address, value);
}

bool __wrap_vpmu_counter_apply(struct vpmu_counter *c, uint32_t width, uint64_t increment,
			       uint64_t n)
{
	if (width == 44 && fault("narrow"))
		width = 40;
	if (width == 44 && fault("wide"))
		width = 48;
	return __real_vpmu_counter_apply(c, width, increment, n);
}

/* Nothing is noted in bulk, so that all that happens comes through the functions here. */
bool __wrap_vpmu_bulk_of(struct vpmu_segment *s, uint32_t package, struct vpmu_bulk *out)
{
	return !getenv("FAULT") && __real_vpmu_bulk_of(s, package, out);
}

/* Writes that are never counted; reads by 32 bytes. */
void __wrap_vpmu_dram(struct vpmu_segment *s, uint32_t package, uint32_t requests,
		      uint32_t read_cas, uint32_t write_cas)
{
	if (fault("dead"))
		write_cas = 0;
	if (fault("unit"))
		read_cas *= 2;
	__real_vpmu_dram(s, package, requests, read_cas, write_cas);
}
