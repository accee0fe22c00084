/* SPDX-License-Identifier: MIT */
#include "system.h"

bool vpmu_system_call(int64_t number, int64_t arguments[6], int64_t *answer)
{
	(void)number, (void)arguments, (void)answer;
	return false;
}

bool vpmu_system_accesses(int64_t number, const int64_t arguments[6])
{
	(void)number, (void)arguments;
	return false;
}
