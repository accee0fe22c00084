/* SPDX-License-Identifier: MIT */
/* Layer names: from an event's name to the registers' values, with libpfm4's tables. This header:
 * the machine as names see it. */
#ifndef IPMU_MACHINE_H
#define IPMU_MACHINE_H

#include "../pmu/pmu.h"

struct ipmu_machine {
	const struct ipmu_topology *topo;
	const struct ipmu_family *family;
	bool allow_pmi;		/* counters may send interrupts: see IPMU_ALLOW_PMI */
	/* Boxes and counters in the unit of a place, or with IPMU_ALL of any unit; NULL: there is
	 * no such place. A unit that is not open is described by another one: all of a machine are
	 * alike. */
	const struct ipmu_found *(*found)(const struct ipmu_system *sys, int place);
	const struct ipmu_system *sys;	/* for `found` */
};

/* The places that there are: packages by their index, or CPUs by their number. */
int ipmu_machine_nplaces(const struct ipmu_machine *m);
int ipmu_machine_place(const struct ipmu_machine *m, int i);
bool ipmu_machine_has(const struct ipmu_machine *m, int place);

/* Boxes of a type in a place, or with IPMU_ALL in any; 0 with the reason in `why`. */
int ipmu_machine_boxes(const struct ipmu_machine *m, const struct ipmu_pmu_type *type, int place,
		       char *why);

#endif
