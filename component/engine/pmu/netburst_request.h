/* SPDX-License-Identifier: MIT */
/* Request of a NetBurst event's name, before it is known which ESCR and counter do it. */
#ifndef IPMU_NETBURST_REQUEST_H
#define IPMU_NETBURST_REQUEST_H

#include "netburst.h"

struct netburst_request {
	const struct netburst_event *event, *start;
	const struct netburst_tag *tag;
	uint64_t mask, start_mask, tag_value;	/* tag_value: for an event that tags */
	bool os, usr, said_level;
	bool edge, said_edge, complement, force_ovf;
	uint64_t threshold, period;
	int number;	/* of the ESCR; -1: the event's */
	unsigned active;	/* Active Thread of the CCCR */
};

/* -ENOENT: the PMU has no such event. -EINVAL: qualifiers that it does not take. */
int ipmu_netburst_request(struct netburst_request *r, const struct ipmu_pmu_type *type,
			  const char *event, const struct ipmu_qualifiers *q, char *why);

#endif
