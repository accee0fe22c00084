/* SPDX-License-Identifier: MIT */
#include "pause_loop.h"

bool vpmu_is_pause(const uint8_t *bytes, size_t count)
{
	return count == 2 && bytes[0] == 0xf3 && bytes[1] == 0x90;
}

bool vpmu_spinning(struct vpmu_spinning *s, uint64_t clock, uint32_t within)
{
	uint64_t since = clock - s->clock;

	s->clock = clock;
	s->pauses = since < within ? s->pauses + 1 : 0;
	return s->pauses >= VPMU_SPIN_LOOP;
}

bool vpmu_spinning_polls(struct vpmu_spinning *s, uint64_t misses)
{
	s->polls = misses == s->misses ? s->polls + 1 : 0;
	s->misses = misses;
	return s->polls >= VPMU_POLL_LOOP;
}
