/* SPDX-License-Identifier: MIT */
/* Between a job's nodes: the first node listens, and says where in a file that the others can read
 * if they see the same folder. By a secret in it they show that they are of this job. */
#ifndef IPMU_RUN_LINK_H
#define IPMU_RUN_LINK_H

#include <stdbool.h>
#include <stdio.h>

struct links;

/* The first node's: listens and publishes. 0 or a negative errno. */
int links_open(const char *path, struct links **out);
void links_close(struct links *l);
/* Another node's ranks, and the text that it has sent, once it is complete. */
struct link {
	int fd, ranks;
	char *text;
	size_t bytes;
	bool greeted, complete;
};
/* Takes what comes, for that long at most. */
void links_listen(struct links *l, int timeout_ms);
int links_count(const struct links *l);
const struct link *links_get(const struct links *l, int i);

/* Another node's: tells the first how many ranks will come. The connection, or a negative errno. */
int link_connect(const char *path, int ranks, int patience_ms);
/* Sends all and closes. 0 or a negative errno. */
int link_send(int fd, const char *text, size_t bytes);

#endif
