/* SPDX-License-Identifier: MIT */
/* Exit statuses of commands that run a program, those of env(1) and timeout(1): programs rarely use
 * them. */
#ifndef IPMU_STATUSES_H
#define IPMU_STATUSES_H

#define STATUS_BEYOND 122		/* ipmu-run's: a count is beyond its limit */
#define STATUS_TIMEOUT 124		/* timeout(1)'s */
#define STATUS_OURS 125			/* an error of the command's own */
#define STATUS_NOT_EXECUTABLE 126	/* the file is there, but is no program */
#define STATUS_NOT_FOUND 127

#endif
