/* SPDX-License-Identifier: MIT */
/* The time on a clock that nobody sets: for limits of waiting. */
#ifndef IPMU_ENGINE_NOW_H
#define IPMU_ENGINE_NOW_H

#include <stdint.h>
#include <time.h>

static inline uint64_t ipmu_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

#endif
