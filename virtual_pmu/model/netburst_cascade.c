/* SPDX-License-Identifier: MIT */
/* Which counters run on NetBurst: those that are enabled, and those that another one's overflow has
 * started (SDM 18.15.5). */
#include "netburst_state.h"

#define NO_SOURCE P4_COUNTERS

/* The counter of the other pair, whose overflow starts this one through CASCADE. */
uint32_t p4_cascade_source(uint32_t counter)
{
	return counter < 16 ? counter ^ 2 : counter - 2;
}

/* Through bit 11: CASCNT4INTO0, CASCNT5INTO3, CASCNT5INTO4, CASCNT4INTO5 of the IQ counters. */
uint32_t p4_extended_source(uint32_t counter)
{
	switch (counter) {
	case 12: return 16;
	case 15: return 17;
	case 16: return 17;
	case 17: return 16;
	}
	return NO_SOURCE;
}

bool p4_overflowed(const struct p4_core *core, uint32_t counter)
{
	return counter != NO_SOURCE && (core->cccr[counter] & P4_OVF);
}

bool p4_cascades_from(const struct p4_core *core, uint32_t counter, uint32_t source)
{
	uint64_t cccr = core->cccr[counter];

	return !(cccr & P4_ENABLE) &&
	       (((cccr & P4_CASCADE) && p4_cascade_source(counter) == source) ||
		((cccr & P4_EXTENDED) && p4_extended_source(counter) == source));
}

bool p4_running(const struct p4_core *core, uint32_t counter)
{
	uint64_t cccr = core->cccr[counter];

	return (cccr & P4_ENABLE) ||
	       ((cccr & P4_CASCADE) && p4_overflowed(core, p4_cascade_source(counter))) ||
	       ((cccr & P4_EXTENDED) && p4_overflowed(core, p4_extended_source(counter)));
}
