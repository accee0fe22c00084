/* SPDX-License-Identifier: MIT */
/* A process that restores registers when this one is killed, from the first set that joins to the
 * last that leaves. */
#ifndef IPMU_GUARDIAN_H
#define IPMU_GUARDIAN_H

#include <stdbool.h>

/* path: of ipmu-restore; "": search for it in PATH. False: there is none. */
bool guardian_join(const char *path);
void guardian_leave(void);

#endif
