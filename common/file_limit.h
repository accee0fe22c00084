/* SPDX-License-Identifier: MIT */
/* The limit of a file's size (RLIMIT_FSIZE): what is written beyond it is to be an error, EFBIG,
 * and not the end of the process by SIGXFSZ. */
#ifndef IPMU_FILE_LIMIT_H
#define IPMU_FILE_LIMIT_H

#include <signal.h>

/* For a command: from now on, in all threads. What it executes has the default again; where the
 * signal was ignored before, it stays so. */
void file_limit_handle(void);

/* For a library: in this thread, between the two. */
void file_limit_hold(sigset_t *old);
void file_limit_release(const sigset_t *old);

#endif
