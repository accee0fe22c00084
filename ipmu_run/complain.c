/* SPDX-License-Identifier: MIT */
/* What to do where nothing can be counted. */
#include <errno.h>
#include <stdio.h>

#include "run.h"

static const char ways[] =
"three ways to count:\n"
"  as root, with the msr module: modprobe msr, then sudo ipmu-run ...\n"
"  without privileges, by msr-safe: an administrator loads it, writes what ipmu-allowlist prints\n"
"    into /dev/cpu/msr_allowlist, and gives a group access to /dev/cpu/*/msr_safe\n"
"  on the virtual machine: ipmu-run --on skl-4c8t ...; 'vpmu machines' lists others\n";

static const char virtual[] =
"on the virtual machine: ipmu-run --on skl-4c8t ...; 'vpmu machines' lists others\n";

int complain_machine(int rc, const char *why)
{
	const char *what = rc == -EPERM || rc == -EACCES ? "not permitted: " :
			   rc == -ENODEV ? "nothing to count with here: " : "";
	const char *todo = rc == -EPERM ? ways : rc == -ENODEV ? virtual : "";

	complain(0, "%s%s", what, why);
	if (!complain_is_silent())
		fputs(todo, stderr);
	return EXIT_CANNOT_COUNT;
}
