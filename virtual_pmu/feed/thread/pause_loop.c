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

static bool follow(struct vpmu_spinning *s, const struct vpmu_timed_block *b)
{
	s->addressed |= b->addressed;
	s->written |= b->written;
	s->loads |= b->effect == VPMU_BLOCK_LOADS;
	return b->effect != VPMU_BLOCK_ANY && ++s->blocks <= VPMU_READ_LOOP_BLOCKS;
}

bool vpmu_spinning_reads(struct vpmu_spinning *s, uint64_t clock, uint64_t misses,
			 const struct vpmu_timed_block *b)
{
	bool same = misses == s->missed, again = b == s->loop;

	if (!s->loop && clock - s->searched < VPMU_READ_LOOP_CLOCKS)
		return false;
	if (!s->loop) {
		s->searched = clock;
		s->missed = misses;
		s->blocks = s->addressed = s->written = 0;
		s->loads = false;
	}
	if (again || !same || !follow(s, b))
		s->loop = NULL;
	else if (!s->loop)
		s->loop = b;
	return again && same && s->loads && !(s->addressed & s->written);
}
