/* SPDX-License-Identifier: MIT */
#ifndef EVENT_NAME_H
#define EVENT_NAME_H

#include "ipmu.h"

/* Reads an event's name as the engine does, behind the name of PAPI's component. false: it is not
 * of that form. */
bool event_read(const char *name, struct ipmu_name *out);

#endif
