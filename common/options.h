/* SPDX-License-Identifier: MIT */
/* Options that several commands have, by the same rules. 0; or STATUS_OURS and a complaint. */
#ifndef IPMU_OPTIONS_H
#define IPMU_OPTIONS_H

/* A whole number from 1 to max; of: what it is a number of. */
int option_number(const char *option, const char *text, const char *of, int max, int *out);
/* A word, which must not be the next option. */
int option_word(const char *option, const char *text);

/* An option of another tool, and the sentence about ours. */
struct option_hint {
	const char *typed, *ours;
};

/* After getopt_long has complained about an option: its hint in a list that ends with NULL,
 * otherwise where help is. Returns STATUS_OURS. */
int option_unknown(char **argv, const struct option_hint *hints);

/* -o: what files' names begin with. */
int option_prefix(const char *text);

#endif
