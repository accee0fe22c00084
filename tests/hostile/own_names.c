// SPDX-License-Identifier: MIT
/* Prints the rows of common/own_name.c, and what makes each. */
#include <stdio.h>
#include "own_name.h"

int main(void)
{
	static const char *const of[] = { "segment", "vpmu", "vpmu", "vpmu",   "job",
					  "node",    "node", "node", "profile" };

	for (int i = 0; i < OWN_NAMES; i++)
		printf("%s %s %s\n", of[i], own_names[i].folder ? "folder" : "file",
		       own_names[i].ending);
	return 0;
}
