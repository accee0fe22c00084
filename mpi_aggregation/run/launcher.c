/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "launchers.h"

/* The number that the launcher gave us; NULL: there is none. */
static const char *launched_as(void)
{
	static const char *const names[] = { LAUNCHER_RANKS };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (secure_getenv(names[i]))
			return secure_getenv(names[i]);
	return NULL;
}

bool is_launched(void)
{
	return launched_as() != NULL;
}

bool is_first_rank(void)
{
	const char *rank = launched_as();

	return !rank || !strcmp(rank, "0");
}
