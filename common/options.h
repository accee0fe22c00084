/* SPDX-License-Identifier: MIT */
/* Values of options that several commands have, by the same rules. 0; or 2 and a complaint. */
#ifndef IPMU_OPTIONS_H
#define IPMU_OPTIONS_H

/* A whole number from 1 to max; of: what it is a number of. */
int option_number(const char *option, const char *text, const char *of, int max, int *out);
/* --interval, in milliseconds: up to a day. */
int option_interval(const char *text, int *ms);
/* -o: what files' names begin with. */
int option_prefix(const char *text);

#endif
