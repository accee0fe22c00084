/* SPDX-License-Identifier: MIT */
/* What our components say about a call that fails. PAPI's codes cannot carry a sentence; PAPI
 * prints it to stderr where it is asked to, and there it is caught. */
#ifndef IPMU_RUN_WORDS_H
#define IPMU_RUN_WORDS_H

#define WORDS_MAX 600

struct words {
	int saved, file;
};

/* Between the two nothing else may write to stderr. */
void words_begin(struct words *w);
/* The first sentence of one of our components since then, "" if there is none. */
void words_end(struct words *w, char out[WORDS_MAX]);

#endif
