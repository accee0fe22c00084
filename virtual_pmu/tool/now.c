/* SPDX-License-Identifier: MIT */
/* The time, for limits of waiting. */
#include <time.h>

#include "tool.h"

int64_t vpmu_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
