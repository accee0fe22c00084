/* SPDX-License-Identifier: MIT */
/* Names that commands choose themselves, beside one that the user gave: SEGMENT.state,
 * PREFIX.job and the like. The user may have a file or folder of that name already. It is taken
 * over, replaced or removed only if it carries the mark of such a file and belongs to the
 * caller. */
#ifndef IPMU_OWN_NAME_H
#define IPMU_OWN_NAME_H

#include <stdbool.h>
#include <sys/types.h>

enum own_name {
	OWN_SEGMENT, OWN_TOPOLOGY, OWN_STATE, OWN_SYSTEM,	/* of vpmu */
	OWN_JOB, OWN_JSON, OWN_CSV, OWN_HTML,			/* of the nodes of a job */
	OWN_CALLGRIND,						/* of --profile */
	OWN_NAMES
};

struct own_name_row {
	const char *ending;	/* behind the user's name */
	const char *mark;	/* a text at the beginning of the file, or of OWN_NAME_MARK */
	bool folder;
};
extern const struct own_name_row own_names[OWN_NAMES];

#define OWN_NAME_MARK ".ipmu-mark"	/* the file in a folder that has the mark */
#define OWN_NAME_HEAD 4096		/* bytes of a file in which the mark must be */

/* Returns NULL if there is no such file, or if it is one that the command may replace. Otherwise
 * returns what is wrong with it. owner: a further user whose it may be, and whose files the caller
 * need not be able to read. */
const char *own_name_wrong(const char *path, enum own_name kind, uid_t owner);
/* True: the open file or folder carries the mark. */
bool own_name_marked(int fd, enum own_name kind);
/* Marks an open folder that was just made. Returns 0 or a negative errno. */
int own_name_mark(int folder, enum own_name kind);

#endif
