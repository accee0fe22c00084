/* SPDX-License-Identifier: MIT */
/* Layer base: what every layer uses, the sentence of a failure (here) and holding off cancellation
 * (cancel.h). */
#ifndef IPMU_WHY_H
#define IPMU_WHY_H

/* Put a sentence into why[IPMU_WHY_MAX] (which may be NULL) and return rc. */
int ipmu_fail(char *why, int rc, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Advice for an errno that is a limit of the process or the system, whatever the file is. The text
 * follows strerror() in a sentence; "": errno is no such limit. */
const char *ipmu_limit_advice(int error);

#endif
