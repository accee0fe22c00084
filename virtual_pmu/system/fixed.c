/* SPDX-License-Identifier: MIT */
/* Random numbers that are the same in each run. Each process has a stream of its own: the first one
 * by the seed and its rank in the job, all others by their parent's stream and by how many
 * processes and programs the parent had started before. So processes that exist at once do not
 * draw the same names and identifiers. The emulator makes the numbers, for RDRAND and AT_RANDOM
 * as well. */
#include <errno.h>
#include <linux/random.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../common/machine_device.h"
#include "calls.h"
#include "devices.h"
#include "regions.h"
#include "system.h"

#define REQUEST_MAX 0x7ffff000u		/* as in the kernel */

static struct vpmu_fixed fixed = { .host_random = true };
static uint64_t started;

void vpmu_system_fixed_begin(const struct vpmu_fixed *given)
{
	fixed = *given;
	vpmu_time_begin(fixed.model_time);
}

uint64_t vpmu_system_seed(void)
{
	const char *given = getenv(MACHINE_SEED_ENV);

	return vpmu_system.memory->native ? strtoull(given ? given : "0", NULL, 10) : fixed.seed;
}

void vpmu_system_fork_begin(void)
{
	__atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
}

/* Nothing else makes the slot of a process that is not counted: the CPUs that it may use are its
 * parent's. */
static void inherit_cpus(void)
{
	if (vpmu_thread_find(vpmu_system.segment, (uint32_t)getppid()))
		vpmu_thread_slot(vpmu_system.segment, vpmu_gettid(), (uint32_t)getppid());
}

void vpmu_system_forked(void)
{
	if (vpmu_system.left_out)
		inherit_cpus();
	vpmu_timers_forked();
	vpmu_regions_forked();
	fixed.stream = vpmu_fixed_stream(fixed.stream, started);
	started = 0;
	if (!fixed.host_random)
		vpmu_system.memory->seed(fixed.stream);
}

struct vpmu_fixed vpmu_system_fixed_next(void)
{
	struct vpmu_fixed next = fixed;

	vpmu_system_fork_begin();
	next.stream = vpmu_fixed_stream(fixed.stream, started);
	return next;
}

bool vpmu_random_is_fixed(void)
{
	return !fixed.host_random;
}

int64_t vpmu_random_read(void *to, uint64_t bytes)
{
	vpmu_system.memory->random(to, bytes);
	return (int64_t)bytes;
}

/* getrandom(buffer, bytes, flags) */
bool vpmu_random_before(const int64_t a[6], int64_t *answer)
{
	uint64_t bytes = (uint64_t)a[1] < REQUEST_MAX ? (uint64_t)a[1] : REQUEST_MAX;
	uint32_t flags = (uint32_t)a[2];
	void *to;

	if (fixed.host_random || flags & ~(uint32_t)(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE))
		return false;
	if (flags & GRND_RANDOM && flags & GRND_INSECURE)
		return false;
	to = bytes ? vpmu_system.memory->memory((uint64_t)a[0], bytes, true) : &(char){ 0 };
	*answer = to ? vpmu_random_read(to, bytes) : -EFAULT;
	return true;
}
