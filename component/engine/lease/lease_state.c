/* SPDX-License-Identifier: MIT */
#include "unit.h"

static const struct {
	enum ipmu_lease_state from;
	enum ipmu_lease_event event;
	enum ipmu_lease_state to;
} transitions[] = {
	{ IPMU_LEASE_OUT,	 IPMU_LEASE_ENTER, IPMU_LEASE_VISITING },
	{ IPMU_LEASE_UNRESTORED, IPMU_LEASE_ENTER, IPMU_LEASE_VISITING },
	{ IPMU_LEASE_COUNTING,	 IPMU_LEASE_ENTER, IPMU_LEASE_ENTERED },
	{ IPMU_LEASE_VISITING,	 IPMU_LEASE_JOIN,  IPMU_LEASE_ENTERED },
	{ IPMU_LEASE_VISITING,	 IPMU_LEASE_LEAVE, IPMU_LEASE_OUT },
	{ IPMU_LEASE_ENTERED,	 IPMU_LEASE_LEAVE, IPMU_LEASE_COUNTING },
	{ IPMU_LEASE_COUNTING,	 IPMU_LEASE_END,   IPMU_LEASE_OUT },
	{ IPMU_LEASE_COUNTING,	 IPMU_LEASE_FAIL,  IPMU_LEASE_UNRESTORED },
	{ IPMU_LEASE_COUNTING,	 IPMU_LEASE_LOSE,  IPMU_LEASE_OUT },
	{ IPMU_LEASE_UNRESTORED, IPMU_LEASE_LOSE,  IPMU_LEASE_OUT },
};

bool ipmu_lease_state_move(struct ipmu_lease *lease, enum ipmu_lease_event event)
{
	for (size_t i = 0; i < sizeof(transitions) / sizeof(transitions[0]); i++)
		if (transitions[i].from == lease->state && transitions[i].event == event) {
			lease->state = transitions[i].to;
			return true;
		}
	return false;
}
