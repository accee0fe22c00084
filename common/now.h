/* SPDX-License-Identifier: MIT */
/* The time on a clock that nobody sets: for durations, and for limits of waiting. */
#ifndef IPMU_NOW_H
#define IPMU_NOW_H

#include <stdint.h>
#include <time.h>

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static inline int64_t now_ms(void)
{
	return (int64_t)(now_ns() / 1000000);
}

#endif
