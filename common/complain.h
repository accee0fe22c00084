/* SPDX-License-Identifier: MIT */
/* How commands report an error: a line on stderr, after the name that the command was called by. */
#ifndef IPMU_COMPLAIN_H
#define IPMU_COMPLAIN_H

/* Returns status. */
__attribute__((format(printf, 2, 3))) int complain(int status, const char *format, ...);

#endif
