/* SPDX-License-Identifier: MIT */
/* Making a machine, opening one, and starting it again. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model_type.h"

/* The memory of a new segment is zero, and stays untouched where a register starts with 0. */
static void power_on(struct vpmu_segment *s)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	type->reset(s);
	if (type->core)
		type->core->reset(s);
}

void vpmu_model_reset(struct vpmu_segment *s)
{
	memset(vpmu_package_state(s, 0), 0, s->registers_bytes);
	memset(vpmu_package_mmio(s, 0), 0, s->mmio_bytes);
	power_on(s);
}

/* Longer than any request to memory takes. */
#define REST_CLOCKS 1000000u

/* All packages' clocks are equal, as after power-on, and ahead of the end of all requests. */
void vpmu_model_refresh(struct vpmu_segment *s)
{
	uint64_t rest = 0;

	for (uint32_t i = 0; i < s->machine.packages; i++)
		rest = s->uclk[i] > rest ? s->uclk[i] : rest;
	for (uint32_t i = 0; i < s->machine.packages; i++)
		vpmu_clock(s, i, rest + REST_CLOCKS);
	memset((uint8_t *)s + s->caches_offset, 0, s->caches_bytes);
	__atomic_store_n(&s->next_space, 0, __ATOMIC_RELAXED);
}

void vpmu_model_init(struct vpmu_segment *s)
{
	const struct vpmu_model_type *type = vpmu_model_type(&s->machine);

	if (type->init)
		type->init(s);
}

int vpmu_model_state_bytes(const struct vpmu_machine *m, struct vpmu_state_bytes *out)
{
	const struct vpmu_model_type *type = vpmu_model_type(m);

	if (!type)
		return -EINVAL;
	*out = (struct vpmu_state_bytes){ type->package_bytes, type->core_bytes,
					  type->thread_bytes, type->mmio_bytes };
	return 0;
}

int vpmu_segment_create(const char *path, const struct vpmu_machine *m, struct vpmu_segment **out,
			char *why, size_t why_bytes)
{
	struct vpmu_state_bytes state;
	int rc = vpmu_model_state_bytes(m, &state);

	if (rc) {
		snprintf(why, why_bytes, "machine '%s' has no register model", m->name);
		return rc;
	}
	return vpmu_segment_make(path, m, &state, power_on, out, why, why_bytes);
}

int vpmu_segment_open(const char *path, struct vpmu_segment **out, char *why, size_t why_bytes)
{
	return vpmu_segment_map(path, vpmu_model_state_bytes, out, why, why_bytes);
}
