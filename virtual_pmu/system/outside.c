/* SPDX-License-Identifier: MIT */
/* The machine's own device, for a program that reads the machine from outside, as `ipmu-run --on`
 * does. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../common/machine_device.h"
#include "../model/kinds.h"
#include "devices.h"
#include "regions.h"
#include "system.h"

#define NAME_BYTES 256

int64_t vpmu_outside_read(void *to, size_t bytes)
{
	uint64_t newest = vpmu_newest_clock(vpmu_system.segment);

	if (bytes != sizeof(newest))
		return -EINVAL;
	memcpy(to, &newest, sizeof(newest));
	return sizeof(newest);
}

int64_t vpmu_outside_write(const void *from, size_t bytes)
{
	struct vpmu_segment *s = vpmu_system.segment;
	char name[NAME_BYTES];

	if (bytes >= sizeof(name))
		return -EINVAL;
	memcpy(name, from, bytes);
	name[bytes] = '\0';
	vpmu_lock(s);
	vpmu_model_count_free(s, name);
	vpmu_unlock(s);
	return (int64_t)bytes;
}

static int refresh(struct vpmu_segment *s)
{
	int rc;

	vpmu_lock(s);
	rc = vpmu_threads_busy(s, (uint32_t)getpid()) ? -EBUSY : 0;
	if (!rc)
		vpmu_model_refresh(s);
	vpmu_unlock(s);
	return rc;
}

static int describe(const struct vpmu_segment *s, uint64_t argument)
{
	struct machine_geometry *out = vpmu_system.memory->memory(argument, sizeof(*out), true);

	if (!out)
		return -EFAULT;
	vpmu_machine_text(&s->machine, out->text, sizeof(out->text));
	return 0;
}

static int tell_number(uint64_t number, uint64_t argument)
{
	uint64_t *out = vpmu_system.memory->memory(argument, sizeof(*out), true);

	if (!out)
		return -EFAULT;
	*out = number;
	return 0;
}

static int tell_programs(const struct vpmu_segment *s, uint64_t argument)
{
	struct machine_programs *out = vpmu_system.memory->memory(argument, sizeof(*out), true);

	if (!out)
		return -EFAULT;
	*out = (struct machine_programs){
		.executed = __atomic_load_n(&s->executed_count, __ATOMIC_RELAXED),
		.begun = __atomic_load_n(&s->begun_count, __ATOMIC_RELAXED),
		.outside = __atomic_load_n(&s->left_count, __ATOMIC_RELAXED),
		.aborted = __atomic_load_n(&s->aborted_count, __ATOMIC_RELAXED),
	};
	return 0;
}

static int pause_profiles(struct vpmu_segment *s, uint64_t argument)
{
	const uint32_t *on = vpmu_system.memory->memory(argument, sizeof(*on), false);

	if (!on)
		return -EFAULT;
	__atomic_store_n(&s->profiles_paused, *on, __ATOMIC_RELAXED);
	return 0;
}

/* Returns the number of the kinds where it is none of them. */
static uint32_t find_kind(const char *name)
{
	char text[VPMU_KIND_NAME_MAX];
	uint32_t kind = 0;

	while (vpmu_kind_name(kind, text) && strcmp(text, name))
		kind++;
	return kind;
}

static int raise_kind(struct vpmu_segment *s, uint64_t argument)
{
	const struct machine_occurrence *what =
		vpmu_system.memory->memory(argument, sizeof(*what), false);
	char name[sizeof(what->name) + 1];
	int rc;

	if (!what)
		return -EFAULT;
	snprintf(name, sizeof(name), "%.*s", (int)sizeof(what->name), what->name);
	vpmu_lock(s);
	rc = vpmu_threads_busy(s, (uint32_t)getpid()) ? -EBUSY :
	     vpmu_kind_raise(s, find_kind(name), what->times) ? 0 : -EINVAL;
	vpmu_unlock(s);
	return rc;
}

int64_t vpmu_outside_control(uint64_t request, uint64_t argument)
{
	struct vpmu_segment *s = vpmu_system.segment;

	switch (request) {
	case MACHINE_STOP:
		if (!vpmu_system.memory->native)
			return -EOPNOTSUPP;
		if (!vpmu_lock_held(s))
			vpmu_lock(s);
		return 0;
	case MACHINE_GO:
		if (!vpmu_system.memory->native || !vpmu_lock_held(s))
			return -EOPNOTSUPP;
		vpmu_unlock(s);
		return 0;
	case MACHINE_REFRESH:
		return refresh(s);
	case MACHINE_GEOMETRY:
		return describe(s, argument);
	case MACHINE_CHOSEN:
		return tell_number(__atomic_load_n(&s->chosen_count, __ATOMIC_RELAXED), argument);
	case MACHINE_PROGRAMS:
		return tell_programs(s, argument);
	case MACHINE_SEED:
		return tell_number(vpmu_system_seed(), argument);
	case MACHINE_PAUSE:
		return pause_profiles(s, argument);
	case MACHINE_RAISE:
		return raise_kind(s, argument);
	case MACHINE_CLOCK:
		return tell_number(vpmu_clock_estimates(&s->machine) ? MACHINE_CLOCK_ESTIMATE :
				   MACHINE_CLOCK_INSTRUCTION, argument);
	case MACHINE_REGIONS:
		return vpmu_regions_code(argument);
	case MACHINE_REGION_BEGIN:
	case MACHINE_REGION_END:
		return vpmu_regions_call(request == MACHINE_REGION_BEGIN, argument);
	default:
		return -ENOTTY;
	}
}
