/* SPDX-License-Identifier: MIT */
/* How commands report an error: a line on stderr, after the name that the command was called by.
 * Names and texts in it may be anybody's (shown.h). */
#ifndef IPMU_COMPLAIN_H
#define IPMU_COMPLAIN_H

#include "statuses.h"

/* Returns status. */
__attribute__((format(printf, 2, 3))) int complain(int status, const char *format, ...);
/* The status to leave with: `failure`, and a complaint, where the standard output could not be
 * written. */
int complain_unwritten(int status, int failure);

#endif
