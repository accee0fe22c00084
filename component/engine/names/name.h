/* SPDX-License-Identifier: MIT */
#ifndef IPMU_NAME_H
#define IPMU_NAME_H

#include "machine.h"

/* ipmu_event_parse_in, on this machine. */
int ipmu_name_event(const struct ipmu_machine *m, const char *name,
		    const struct ipmu_frame *frame, struct ipmu_event *out, char *why);

/* An event without any qualifier, as ipmu_event_parse makes it of "type.EVENT". */
int ipmu_name_event_alone(const struct ipmu_machine *m, const struct ipmu_pmu_type *type,
			  const char *event, struct ipmu_event *out);

/* ipmu_event_form, on this machine. */
int ipmu_name_form(const struct ipmu_machine *m, const char *name, struct ipmu_event_form *out);

#endif
