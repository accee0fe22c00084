/* SPDX-License-Identifier: MIT */
#ifndef IPMU_PFM_H
#define IPMU_PFM_H

#include "machine.h"

#include "../pmu/families.h"
#include "../pmu/qualifiers.h"

/* ipmu_system_pmu, of this machine. */
const char *ipmu_name_pmu(const struct ipmu_machine *m, int i, char name[32]);

/* ipmu_machine_boxes, but 0 where a setting of libpfm4 in the environment hides the type's PMU. */
int ipmu_pfm_boxes(const struct ipmu_machine *m, const struct ipmu_pmu_type *type, int place,
		   char *why);
bool ipmu_pfm_has_event(const struct ipmu_pmu_type *type, const char *event);
#define IPMU_CODES_MAX 4
/* Returns how many codes libpfm4 returned for the event with its qualifiers, or a negative errno.
 * -ENOKEY: `why` is a qualifier that the event does not take, see unknown.h. */
int ipmu_pfm_encode(const struct ipmu_pmu_type *type, const char *event,
		    const struct ipmu_qualifiers *q, uint64_t *codes, char *why);
/* The nth modifier of an event and what it takes, "e" or "c=0-31": -ENOENT past the end. */
int ipmu_pfm_modifier(const struct ipmu_pmu_type *type, const char *event, int n, char *text,
		      size_t bytes);
/* The nth unit mask of an event, and is it the default of its group? -ENOENT past the end. */
int ipmu_pfm_umask(const struct ipmu_pmu_type *type, const char *event, int n, bool *is_default,
		   char *text, size_t bytes);
/* How many events libpfm4 has; asking for one costs much more. */
int ipmu_pfm_events(const struct ipmu_pmu_type *type);
int ipmu_pfm_list(const struct ipmu_pmu_type *type, int event, int umask,
		  struct ipmu_event_info *out);

#endif
