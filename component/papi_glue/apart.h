/* SPDX-License-Identifier: MIT */
/* Under IPMU_NODE_SUM the ranks of a node should begin and end a region together, as barriers make
 * them. The process that reports notices here if they did not.
 *
 * The nth start, read or reset of a rank belongs with the nth of the others; all are called reads
 * here. Each rank notes the times of its own in a page that the node's ranks share. The rank that
 * reports compares them with its own: counts that it made between another rank's nth read and its
 * own nth read may belong to the other side of that read. A time alone is no proof, because ranks
 * that wait in a barrier may be far apart. */
#ifndef PAPI_GLUE_APART_H
#define PAPI_GLUE_APART_H

#include <stdbool.h>
#include <stdint.h>

#define APART_EVENTS 64

/* Two intervals between reads of the set that reports. Zeroed before its first use. */
struct apart {
	uint32_t number, time;		/* the last read */
	uint32_t length;		/* the interval before it */
	char busy;
	uint64_t last[APART_EVENTS];	/* counts at the last read */
	uint64_t before[APART_EVENTS];	/* what the interval before it counted */
	uint64_t largest[APART_EVENTS];	/* count of an interval */
};

/* The page is the file's first; the process reports, or is one of the others. */
void apart_open(int fd, bool reports);
/* True, and a sentence: ranks came apart. The page is private memory from here on. */
bool apart_close(char *why);

/* Async-signal-safe, without a lock. */
void apart_other_reads(void);
void apart_start(struct apart *a);
void apart_read(struct apart *a, const long long *counts, int n, bool is_reset);

#endif
